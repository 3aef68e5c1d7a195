/**
 * The server of a data directory, while it runs. Locks say whether it does, so a note that a crash left is never believed.
 *
 * A server on SQLite has the lock of the directory. One on a database of its own shares nothing with the directory but this
 * note; its lock only says that it is there.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasServer } from '../drivers/drivers.ts';
import { isLocked } from '../lock-file.ts';

/** What `woof server` leaves in its data directory, readable to its owner alone. */
export const SERVER_FILE = 'server.json';
export const DATABASE_SERVER_LOCK = 'database-server.db';

export interface ServerNote {
  url: string;
  /** Absent where its store had an admin token already. */
  token?: string;
  pid?: number;
  /** The kind of its store. */
  store?: string;
}

export function readNote(folder: string): ServerNote | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, SERVER_FILE), 'utf8')) as ServerNote;
  } catch {
    return undefined;
  }
}

/** Undefined also for a moment while one starts: the note is of the server before it. */
export function folderServer(folder: string): ServerNote | undefined {
  const note = readNote(folder);
  if (note === undefined) return undefined;
  if (hasServer(folder)) return note.pid === undefined || note.pid === ownerOf(folder) ? note : undefined;
  return isLocked(join(folder, DATABASE_SERVER_LOCK)) ? note : undefined;
}

/** The process that holds the lock of the directory. */
function ownerOf(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'owner'), 'utf8'));
  } catch {
    return Number.NaN;
  }
}
