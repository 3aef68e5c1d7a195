/**
 * The servers of a data directory, while they run: at most one per kind of store can be found there. Each has a lock and
 * a note of its own (serve/store-kinds.ts), so none takes the token of another.
 *
 * Invariant: a note with an address belongs to the process that holds the lock. Only that process writes the note, and
 * it first removes the address of the previous server (serve/server-note.ts). So a note that a crash left behind is
 * never believed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLocked } from '../lock-file.ts';
import { STORE_KINDS, type StoreKind, storeTraits } from '../serve/store-kinds.ts';

/** What a server leaves in its data directory, readable only by its owner. */
export interface ServerNote {
  url: string;
  /** Absent if its store already had an admin token. */
  token?: string;
  pid: number;
}

export interface FolderServer extends ServerNote {
  store: StoreKind;
}

export const lockFile = (folder: string, kind: StoreKind) => join(folder, storeTraits(kind).lock);
export const noteFile = (folder: string, kind: StoreKind) => join(folder, storeTraits(kind).note);

/** Without an address, only the token of the previous server is known. Empty if the file is not such a note. */
export function readNote(folder: string, kind: StoreKind): Partial<ServerNote> {
  try {
    const { url, token, pid } = Object(JSON.parse(readFileSync(noteFile(folder, kind), 'utf8')));
    return {
      ...(typeof url === 'string' ? { url } : {}),
      ...(typeof token === 'string' ? { token } : {}),
      ...(Number.isInteger(pid) && pid > 0 ? { pid } : {}),
    };
  } catch {
    return {};
  }
}

/** The servers that commands can reach, which excludes one that is starting or stopping. */
export function folderServers(folder: string): FolderServer[] {
  return STORE_KINDS.flatMap((store) => {
    if (!isServed(folder, store)) return [];
    const { url, pid, ...more } = readNote(folder, store);
    return url === undefined || pid === undefined ? [] : [{ url, pid, ...more, store }];
  });
}

/** The one that commands without --server use. */
export function folderServer(folder: string): FolderServer | undefined {
  return folderServers(folder)[0];
}

/** Whether a server holds the lock, including while it starts or stops. */
export function isServed(folder: string, kind: StoreKind): boolean {
  return isLocked(lockFile(folder, kind));
}

export function isServedAtAll(folder: string): boolean {
  return STORE_KINDS.some((kind) => isServed(folder, kind));
}
