/**
 * Where a process that drives runs listens: a socket beside its lock.
 *
 * The path of a Unix socket is limited to about 100 bytes. A longer one is replaced by one in a private folder of the
 * temporary directory, named by a hash of the data directory, and a file beside the lock tells it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileOf } from '../drivers/drivers.ts';

const MAX_PATH_BYTES = 100;

/** For the client: where to knock. */
export function knownAddress(folder: string, driver: string): string {
  const direct = fileOf(folder, driver, 'sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  try {
    return readFileSync(fileOf(folder, driver, 'path'), 'utf8').trim();
  } catch {
    return direct;
  }
}

/** For the driver: where to listen. */
export function claimAddress(folder: string, driver: string): string {
  const direct = fileOf(folder, driver, 'sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  const short = join(tmpdir(), `woof-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(short);
  // Anybody may create names in the temporary directory; only a folder of our own is safe to listen in.
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) throw new Error(`${short} belongs to another user`);
  const address = join(short, `${driver}.sock`);
  writeFileSync(fileOf(folder, driver, 'path'), `${address}\n`);
  return address;
}
