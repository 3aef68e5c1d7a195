/** Where bundles are: `<runs>/<run>/<stage>/<attempt>/`. */
import { createHash } from 'node:crypto';

export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
/** Files of an attempt that is not sealed yet: who opened it, and what has ended in it. */
export const INTENT = 'attempt.json';
export const RESULTS = 'results.jsonl';
/** The working files of a job that outlives its process. They may contain secrets and are not evidence. */
export const JOB_AREA = 'slurm';
/** Marks an attempt that is running, or whose process died. */
export const OPEN_SUFFIX = '.partial';
/** File modes of sealed bundles, regardless of the umask. */
export const SEALED_FILE = 0o444;
export const SEALED_FOLDER = 0o555;

const LONGEST_NAME = 200;

/** An id as a folder name: anything that could lead elsewhere becomes %XX. */
export function folderName(id: string): string {
  const safe = id.replaceAll(/[^\w.\-=,+@()[\] ]|^\.+/gu, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );
  if (safe !== '' && safe.length <= LONGEST_NAME) return safe;
  return `${safe.slice(0, LONGEST_NAME)}%${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}
