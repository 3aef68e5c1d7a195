/** Replaces a file as a whole: written aside, synced, renamed. Its mode stays. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

export function writeAtomically(file: string, text: string): void {
  const { mode } = statSync(file);
  const aside = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(aside, 'wx', mode & 0o777);
    try {
      // The umask took bits away from the mode that open was given.
      fchmodSync(descriptor, mode & 0o777);
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
