/**
 * Compresses long texts before they are written: SQLite writes on the thread on which everything else waits, 25 ms for
 * a snapshot of 10,000 jobs. Other threads compress it to a twentieth. A short text is stored unchanged, and so are
 * those of earlier versions.
 */
import { promisify } from 'node:util';

const SHORT = 64 * 1024;
/** Node's default, 16 KiB, costs one trip to another thread each: three times as long for a text of 6 MB. */
const UNPACKED_AT_ONCE = 1024 * 1024;

/** Loaded only for long texts: a short run never needs it. */
const zlib = () => import('node:zlib');

export async function packed(text: string): Promise<string | Uint8Array> {
  if (text.length <= SHORT) return text;
  const { constants, deflate } = await zlib();
  return promisify<string, { level: number }, Buffer>(deflate)(text, { level: constants.Z_BEST_SPEED });
}

export async function unpacked(kept: string | Uint8Array): Promise<string> {
  if (typeof kept === 'string') return kept;
  const { inflate } = await zlib();
  const inflateAside = promisify<Uint8Array, { chunkSize: number }, Buffer>(inflate);
  return (await inflateAside(kept, { chunkSize: UNPACKED_AT_ONCE })).toString('utf8');
}
