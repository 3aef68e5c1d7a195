/**
 * The data directory: `--data`, else `WOOF_DATA`, else the nearest `.woof/` upwards, else a new one here.
 *
 * Owns: where things are in it, and its locks. Writers share `lock.db`; a process that must be alone (gc, a new key)
 * holds it exclusively. `server.db` is the lock of the server. Does not own: who drives which run (drivers/).
 */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FileBlobs, SqliteStore, StoreError } from '@woof/stores';
import { driversOf, hasServer, isDriving, pidOf, SERVER_LOCK } from './drivers/drivers.ts';
import { ALONE_WAIT_MS, type Lock, type LockMode, tryLock } from './lock-file.ts';
import { makeFolder } from './make-folder.ts';
import { missingPackage } from './optional-packages.ts';
import { sayLongUpdate } from './say-long-update.ts';
import { withdraw } from './serve/server-note.ts';
import { BusyError, NoSuchRun, UserError } from './user-error.ts';

/** As long as a commit may wait. */
const SHARED_WAIT_MS = 30_000;

export interface DataDirectory {
  path: string;
  blobs: FileBlobs;
  logs: string;
}

export interface WritableData extends DataDirectory {
  store: SqliteStore;
  close(): Promise<void>;
}

export function locateData(flag: string | undefined): DataDirectory {
  const path = flag ?? process.env.WOOF_DATA ?? nearest(process.cwd()) ?? join(process.cwd(), '.woof');
  const full = resolve(path);
  return {
    path: full,
    blobs: new FileBlobs(join(full, 'blobs')),
    logs: join(full, 'logs'),
  };
}

/** The folder of virtual environments for notebooks. */
export function environmentsOf({ path }: Pick<DataDirectory, 'path'>): string {
  return join(path, 'environments');
}

/** The folder of bundles. */
export function runsOf({ path }: Pick<DataDirectory, 'path'>): string {
  return join(path, 'runs');
}

/** Shares the directory with any number of other writers. */
export function openForWriting(flag: string | undefined): WritableData {
  return openLocked(lockData(flag));
}

/** While nobody else writes. */
export function openAlone(flag: string | undefined): WritableData {
  return openLocked(lockData(flag, 'exclusive'));
}

/** For the server of the directory, of which there is one at a time. */
export function openForServing(flag: string | undefined): WritableData {
  const locked = lockData(flag);
  let serving: Lock;
  try {
    serving = lockOrSay(locked.path, SERVER_LOCK, 'exclusive', serverIsThere);
  } catch (error) {
    locked.lock.release();
    throw error;
  }
  withdraw(locked.path, 'sqlite');
  writeFileSync(join(locked.path, 'owner'), `${process.pid}\n`);
  const release = () => {
    serving.release();
    locked.lock.release();
  };
  return openLocked({ ...locked, lock: { release } });
}

/** This process may write to its data directory. */
export interface LockedData extends DataDirectory {
  lock: Lock;
}

export function lockData(flag: string | undefined, mode: LockMode = 'shared'): LockedData {
  const data = locateData(flag);
  makeFolder(data.path);
  const ignore = join(data.path, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return { ...data, lock: lockOrSay(data.path, 'lock.db', mode) };
}

export function openLocked({ lock, ...data }: LockedData): WritableData {
  const store = openStore(join(data.path, 'woof.db'), false);
  const close = async () => {
    await store.close();
    lock.release();
  };
  return { ...data, store, close };
}

export function openForReading(flag: string | undefined): DataDirectory & { store: SqliteStore } {
  const data = locateData(flag);
  const file = join(data.path, 'woof.db');
  if (!holdsLog(data)) {
    throw new NoSuchRun(
      `no runs here: there is no log in ${data.path}`,
      'start a run with woof run FILE, or name the data directory with --data DIR',
    );
  }
  return { ...data, store: openStore(file, true) };
}

/** A process that ended before it wrote anything leaves an empty file. */
export function holdsLog({ path }: DataDirectory): boolean {
  return (statSync(join(path, 'woof.db'), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function openStore(file: string, readOnly: boolean): SqliteStore {
  try {
    return new SqliteStore(file, { readOnly, onLongUpdate: sayLongUpdate });
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): unknown {
  if (error instanceof StoreError || missingPackage(error)) return error;
  const fix = 'check the file and its permissions, or choose another directory with --data DIR';
  return new UserError(`cannot use ${file}: ${(error as Error).message}`, fix);
}

/**
 * A process that shares the lock waits for an exclusive holder to finish. One that wants it exclusively waits only for
 * processes that briefly check the lock.
 */
function lockOrSay(path: string, name: string, mode: LockMode, busy = isInUse): Lock {
  const file = join(path, name);
  let lock: Lock | undefined;
  try {
    lock = tryLock(file, mode, mode === 'shared' ? SHARED_WAIT_MS : ALONE_WAIT_MS);
  } catch (error) {
    throw unusable(file, error);
  }
  if (lock) return lock;
  throw busy(path);
}

function isInUse(path: string): BusyError {
  const pid = writerOf(path);
  const end = hasServer(path) ? 'stop it first (woof server stop)' : 'wait for it to end';
  return new BusyError(
    `another woof process${pid === undefined ? '' : ` (pid ${pid})`} is using ${path}, and this command needs exclusive access`,
    `${end}, or choose another directory with --data DIR`,
  );
}

function serverIsThere(path: string): BusyError {
  const pid = writerOf(path);
  return new BusyError(
    `another woof server${pid === undefined ? '' : ` (pid ${pid})`} already serves ${path}`,
    'use that server, stop it (woof server stop), or choose another directory with --data DIR',
  );
}

/** Undefined: it has just started. */
function serverPid(path: string): string | undefined {
  try {
    return readFileSync(join(path, 'owner'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** A process that is writing now, as far as files tell: the server, else one that drives a run. */
function writerOf(path: string): string | undefined {
  if (hasServer(path)) return serverPid(path);
  const driver = driversOf(path).find((name) => isDriving(path, name));
  return driver && pidOf(driver);
}

function nearest(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.woof'))) return join(folder, '.woof');
    if (dirname(folder) === folder) return undefined;
  }
}
