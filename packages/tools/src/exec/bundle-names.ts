/** Where bundles lie: `<runs>/<run>/<stage>/<attempt>/`. */
import { createHash } from 'node:crypto';

export const MANIFEST = 'manifest.json';
export const SUMS = 'SHA256SUMS';
/** Files of an attempt that is not sealed yet: who opened it, and what ended in it. */
export const INTENT = 'attempt.json';
export const RESULTS = 'results.jsonl';
/** What a job that outlives its process works with: it may hold secrets, and is no evidence. */
export const JOB_AREA = 'slurm';
/** An attempt that is under way, or whose process died. */
export const OPEN_SUFFIX = '.partial';
/** Modes of what is sealed, whatever the umask was. */
export const SEALED_FILE = 0o444;
export const SEALED_FOLDER = 0o555;

const LONGEST_NAME = 200;

/** An id as the name of a folder: anything that could lead elsewhere becomes %XX. */
export function folderName(id: string): string {
  const safe = id.replaceAll(/[^\w.\-=,+@()[\] ]|^\.+/gu, (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );
  if (safe !== '' && safe.length <= LONGEST_NAME) return safe;
  return `${safe.slice(0, LONGEST_NAME)}%${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}
