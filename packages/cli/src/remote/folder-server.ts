/**
 * The servers of a data directory, while they run: at most one on SQLite and one on a database can be found there. Each
 * has a lock and a note of its own, so neither takes the other's token.
 *
 * Invariant: a note with an address belongs to the process that holds the lock. Only that process writes the note, and
 * it first removes the address of the previous server (serve/server-note.ts). So a note that a crash left behind is
 * never believed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVER_LOCK } from '../drivers/drivers.ts';
import { isLocked } from '../lock-file.ts';

/**
 * The files of a server in its data directory, one row per kind of store. The server on SQLite comes first: the runs of
 * the directory are its own.
 */
const FILES = {
  sqlite: { lock: SERVER_LOCK, note: 'server.json' },
  postgres: { lock: 'database-server.db', note: 'database-server.json' },
} satisfies Record<string, { lock: string; note: string }>;

export type StoreKind = keyof typeof FILES;

const KINDS = Object.keys(FILES) as StoreKind[];

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

export const lockFile = (folder: string, kind: StoreKind) => join(folder, FILES[kind].lock);
export const noteFile = (folder: string, kind: StoreKind) => join(folder, FILES[kind].note);

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
  return KINDS.flatMap((store) => {
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
