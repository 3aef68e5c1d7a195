/** Writes a file as a whole: aside, synced, renamed. The mode of one that is there stays. */
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
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const aside = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(aside, 'wx', mode === undefined ? 0o666 : mode & 0o777);
    try {
      // The umask took bits away from the mode that open was given.
      if (mode !== undefined) fchmodSync(descriptor, mode & 0o777);
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
