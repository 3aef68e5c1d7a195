/**
 * Where the process that drives a data directory listens: `control.sock` in it.
 *
 * The path of a Unix socket is limited to about 100 bytes. A longer one is replaced by a private folder in the
 * temporary directory, named by a hash of the data directory, and `control.path` in the data directory tells it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAX_PATH_BYTES = 100;

/** For the client: where to knock. */
export function knownAddress(folder: string): string {
  const direct = join(folder, 'control.sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  try {
    return readFileSync(join(folder, 'control.path'), 'utf8').trim();
  } catch {
    return direct;
  }
}

/** For the server, which holds the directory's lock: where to listen. */
export function claimAddress(folder: string): string {
  const direct = join(folder, 'control.sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  const short = join(tmpdir(), `woof-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(short);
  // Anybody may create names in the temporary directory; only a folder of our own is safe to listen in.
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new Error(`${short} belongs to somebody else`);
  const address = join(short, 'control.sock');
  writeFileSync(join(folder, 'control.path'), `${address}\n`);
  return address;
}
