/** Small files that only their owner may read: written aside and renamed, so that they are whole. */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export function writePrivate(file: string, text: string): void {
  const aside = `${file}.${process.pid}.${randomBytes(3).toString('hex')}`;
  writeFileSync(aside, text, { mode: 0o600, flag: 'wx' });
  chmodSync(aside, 0o600);
  renameSync(aside, file);
}

export function readPrivate(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
