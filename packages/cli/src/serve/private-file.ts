/** Small files that only their owner may read: written aside and renamed, so that they are whole. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

export function writePrivate(file: string, text: string): void {
  renameSync(writeAside(file, text), file);
}

function writeAside(file: string, text: string): string {
  const aside = `${file}.${process.pid}.${randomBytes(3).toString('hex')}`;
  const descriptor = openSync(aside, 'wx', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text);
    // A rename may reach the disk before the text does.
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return aside;
}

/** What is in the file; if there is none, this becomes it. Of several processes, one makes it and all get the same. */
export function keepPrivate(file: string, text: string): string {
  const known = readPrivate(file);
  if (known !== undefined) return known;
  const aside = writeAside(file, text);
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(file, 'utf8');
}

export function readPrivate(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
