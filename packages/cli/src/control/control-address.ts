/**
 * Where a process that drives runs listens: a socket beside its lock.
 *
 * The path of a Unix socket is limited to about 100 bytes. If the path would be longer, the socket is in the temporary
 * directory, and a file beside the lock says where. It is named after the driver, so nobody can guess the name, and the
 * file is removed with the driver's other files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileOf, shortSocketName } from '../drivers/drivers.ts';

const MAX_PATH_BYTES = 100;

/** For the client: where to connect. A driver that has just started may not have written its file, or not all of it. */
export function knownAddress(folder: string, driver: string): string {
  const direct = fileOf(folder, driver, 'sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  try {
    const [address, end] = readFileSync(fileOf(folder, driver, 'path'), 'utf8').split('\n');
    return end === undefined ? direct : address!;
  } catch {
    return direct;
  }
}

/** For the driver: where to listen. */
export function claimAddress(folder: string, driver: string): string {
  const direct = fileOf(folder, driver, 'sock');
  if (Buffer.byteLength(direct) <= MAX_PATH_BYTES) return direct;
  const address = join(tmpdir(), shortSocketName(driver));
  writeFileSync(fileOf(folder, driver, 'path'), `${address}\n`);
  return address;
}
