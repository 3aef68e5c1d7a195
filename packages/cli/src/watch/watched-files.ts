/**
 * Detects saves by polling the paths of files a few times per second, so that an editor that replaces the file, a
 * network file system and a container's mount all work the same.
 */
import { statSync } from 'node:fs';

/** By path, a fingerprint of the file; the same as long as nobody writes. */
export type Seen = ReadonlyMap<string, string>;

const LOOK_EVERY_MS = 100;
const ABSENT = 'absent';

export function look(files: readonly string[]): Seen {
  return new Map(files.map((file) => [file, stampOf(file)]));
}

function stampOf(file: string): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : ABSENT;
  } catch {
    return ABSENT;
  }
}

export function changedSince(before: Seen, now: Seen): string[] {
  return [...now.keys()].filter((file) => now.get(file) !== before.get(file));
}

/**
 * The files that were saved since, once two polls in a row found the same: an editor may write in pieces. The first
 * file is the document, and must exist. Empty when `signal` aborts.
 */
export async function nextSave(before: Seen, signal: AbortSignal): Promise<string[]> {
  const files = [...before.keys()];
  for (let last = before; !signal.aborted; ) {
    await pause(signal);
    const now = look(files);
    const isQuiet = changedSince(last, now).length === 0;
    const saved = changedSince(before, now);
    if (isQuiet && saved.length > 0 && now.get(files[0]!) !== ABSENT) return saved;
    last = now;
  }
  return [];
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_EVERY_MS);
    signal.addEventListener('abort', end);
  });
}
