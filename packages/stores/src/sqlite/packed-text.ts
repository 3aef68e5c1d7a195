/**
 * Long texts, made short before they are written: SQLite writes on the thread on which everything else waits, 25 ms for a
 * snapshot of 10,000 jobs. Other threads pack it to a twentieth. A short text is kept as it is, and so are those of earlier
 * versions.
 */
import { promisify } from 'node:util';
import { constants, deflate, inflate } from 'node:zlib';

const SHORT = 64 * 1024;
const deflateAside = promisify<string, { level: number }, Buffer>(deflate);
const inflateAside = promisify<Uint8Array, Buffer>(inflate);

export async function packed(text: string): Promise<string | Uint8Array> {
  return text.length <= SHORT ? text : deflateAside(text, { level: constants.Z_BEST_SPEED });
}

export async function unpacked(kept: string | Uint8Array): Promise<string> {
  return typeof kept === 'string' ? kept : (await inflateAside(kept)).toString('utf8');
}
