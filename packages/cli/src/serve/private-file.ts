/**
 * Small files that only their owner may read: written to a temporary file and renamed, so that they are always
 * complete.
 */
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

/**
 * The contents of the file; if there is none, it is created with this text. Of several processes, one creates it and
 * all get the same.
 */
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
