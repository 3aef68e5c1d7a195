/**
 * A lock between processes: a transaction on an empty SQLite file of its own. The operating system releases it when the
 * process ends, however it ends; a stopped process keeps it.
 */
import { existsSync } from 'node:fs';
import { type Database, openDatabase } from '@woof/stores';

export interface Lock {
  release(): void;
}

/** `shared`: with any number of others who share it. */
export type LockMode = 'shared' | 'exclusive';

const BEGIN: Record<LockMode, string> = {
  // A transaction that has read something holds a reader's lock.
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
  // Nothing is ever written, so there is nothing to roll back: without this a journal is created and removed each time.
  exclusive: 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE',
};

/** A process that wants the lock exclusively waits for those that briefly check it. */
export const ALONE_WAIT_MS = 500;

/** Undefined: another process has held it for all that time. */
export function tryLock(file: string, mode: LockMode, waitMs = 0): Lock | undefined {
  const database = openDatabase(file, { timeout: waitMs });
  return begin(database, mode) ? { release: () => database.close() } : undefined;
}

/** Whether a process holds it exclusively. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  let database: Database;
  try {
    database = openDatabase(file, { readOnly: true, timeout: 0 });
  } catch (error) {
    // The file was removed meanwhile, and its process is gone too.
    if (!existsSync(file)) return false;
    throw error;
  }
  if (!begin(database, 'shared')) return true;
  database.close();
  return false;
}

function begin(database: Database, mode: LockMode): boolean {
  try {
    database.exec(BEGIN[mode]);
    return true;
  } catch (error) {
    database.close();
    if (/locked|busy/i.test((error as Error).message)) return false;
    throw error;
  }
}
