/**
 * The data directory: `--data`, else `WOOF_DATA`, else the nearest `.woof/` upwards, else a new one here.
 *
 * Owns: where things lie in it, and the lock that makes one process its writer. The lock is a transaction on a file of
 * its own: the operating system ends it with the process, however that ends.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Database, FileBlobs, openDatabase, SqliteStore } from '@woof/stores';
import { BusyError, UserError } from './user-error.ts';

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

export function openForWriting(flag: string | undefined): WritableData {
  const data = locateData(flag);
  mkdirSync(data.path, { recursive: true });
  const ignore = join(data.path, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  const lock = takeLock(data.path);
  const store = new SqliteStore(join(data.path, 'woof.db'));
  const close = async () => {
    await store.close();
    lock.close();
  };
  return { ...data, store, close };
}

export function openForReading(flag: string | undefined): DataDirectory & { store: SqliteStore } {
  const data = locateData(flag);
  const file = join(data.path, 'woof.db');
  if (!existsSync(file)) {
    throw new UserError(
      `no runs here: ${data.path} has no log`,
      'run something first (woof run FILE), or name the directory with --data',
    );
  }
  return { ...data, store: new SqliteStore(file, { readOnly: true }) };
}

function takeLock(path: string): Database {
  const lock = openDatabase(join(path, 'lock.db'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    const owner = ownerOf(path);
    throw new BusyError(
      `another woof process${owner ? ` (pid ${owner})` : ''} is writing to ${path}`,
      'wait for it to end, or give this run a directory of its own with --data DIR',
    );
  }
  writeFileSync(join(path, 'owner'), `${process.pid}\n`);
  return lock;
}

function ownerOf(path: string): string | undefined {
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
