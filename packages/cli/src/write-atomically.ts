/**
 * Writes a file as a whole: to a temporary file, synced, renamed. An existing file keeps its mode, and a link to it
 * stays. What is not a file (a pipe, a terminal) is written directly.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from './user-error.ts';

export function writeAtomically(file: string, text: string): void {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw new UserError(`${file} is a directory`, 'name a file', 2);
    if (there && !there.isFile()) writeFileSync(file, text);
    else replace(there ? realpathSync(file) : file, text, there);
  } catch (error) {
    throw explained(file, error as NodeJS.ErrnoException);
  }
}

const asideEnd = (pid: number | string) => `.${pid}.tmp`;

/** Whether a path is the temporary file of a killed writer of that file. */
export function isLeftAside(path: string, file: string): boolean {
  const pid = path.slice(file.length).match(/\d+/)?.[0] ?? '';
  return path === `${file}${asideEnd(pid)}`;
}

function replace(file: string, text: string, there: Stats | undefined): void {
  const aside = `${file}${asideEnd(process.pid)}`;
  try {
    const descriptor = openSync(aside, 'wx', there ? there.mode & 0o777 : 0o666);
    try {
      // The umask removed bits from the mode that open was given.
      if (there) fchmodSync(descriptor, there.mode & 0o777);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** In terms of the file that was asked for. */
function explained(file: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new UserError(
      `cannot write ${file}: there is no directory ${dirname(file)}`,
      'create it first',
      2,
    );
  if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS')
    return new UserError(
      `cannot write ${file}: permission denied`,
      'check the permissions of the directory',
      2,
    );
  return error;
}
