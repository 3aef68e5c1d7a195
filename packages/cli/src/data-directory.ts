/**
 * The data directory: `--data`, else `WOOF_DATA`, else the nearest `.woof/` upwards, else a new one here.
 *
 * Owns: where things lie in it, and the lock that makes one process its writer. The lock is a transaction on a file of
 * its own: the operating system ends it with the process, however that ends.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Database, FileBlobs, openDatabase, SqliteStore, StoreError } from '@woof/stores';
import { makeFolder } from './make-folder.ts';
import { missingPackage } from './optional-packages.ts';
import { BusyError, NoSuchRun, UserError } from './user-error.ts';

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

export function openForWriting(flag: string | undefined): WritableData {
  return openLocked(lockData(flag));
}

/** This process is the writer of its data directory. */
export interface LockedData extends DataDirectory {
  lock: Database;
}

export function lockData(flag: string | undefined): LockedData {
  const data = locateData(flag);
  makeFolder(data.path);
  const ignore = join(data.path, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return { ...data, lock: takeLock(data.path) };
}

export function openLocked({ lock, ...data }: LockedData): WritableData {
  const store = openStore(join(data.path, 'woof.db'), false);
  const close = async () => {
    await store.close();
    lock.close();
  };
  return { ...data, store, close };
}

export function openForReading(flag: string | undefined): DataDirectory & { store: SqliteStore } {
  const data = locateData(flag);
  const file = join(data.path, 'woof.db');
  if (!holdsLog(data)) {
    throw new NoSuchRun(
      `no runs here: ${data.path} has no log`,
      'run something first (woof run FILE), or name the directory with --data',
    );
  }
  return { ...data, store: openStore(file, true) };
}

/** An empty file is what a process leaves that ended before it wrote anything. */
export function holdsLog({ path }: DataDirectory): boolean {
  return (statSync(join(path, 'woof.db'), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function openStore(file: string, readOnly: boolean): SqliteStore {
  try {
    return new SqliteStore(file, { readOnly });
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): unknown {
  if (error instanceof StoreError || missingPackage(error)) return error;
  const fix = 'check the file and its permissions, or name another directory with --data DIR';
  return new UserError(`cannot use ${file}: ${(error as Error).message}`, fix);
}

function openLock(file: string): Database {
  try {
    return openDatabase(file, { timeout: 0 });
  } catch (error) {
    throw unusable(file, error);
  }
}

function takeLock(path: string): Database {
  const lock = openLock(join(path, 'lock.db'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked|busy/i.test((error as Error).message)) throw unusable(join(path, 'lock.db'), error);
    const owner = ownerOf(path);
    throw new BusyError(
      `another woof process${owner ? ` (pid ${owner})` : ''} is writing to ${path}`,
      'wait for it to end, or give this run a directory of its own with --data DIR',
    );
  }
  writeFileSync(join(path, 'owner'), `${process.pid}\n`);
  return lock;
}

/** The process that had the lock last. */
export function ownerOf(path: string): string | undefined {
  try {
    return readFileSync(join(path, 'owner'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function nearest(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.woof'))) return join(folder, '.woof');
    if (dirname(folder) === folder) return undefined;
  }
}
