/** The store that servers share, by its address: `sqlite:DIR`, `postgres://…`, or the data directory. */

import { join } from 'node:path';
import { type BlobStore, CachedBlobs, FileLogs, type LogStore, type SharedStore } from '@woof/stores';
import { locateData, openForServing } from '../data-directory.ts';
import { ALONE_WAIT_MS, tryLock } from '../lock-file.ts';
import { makeFolder } from '../make-folder.ts';
import { lockFile, type StoreKind } from '../remote/folder-server.ts';
import { sayLongUpdate } from '../say-long-update.ts';
import { UserError } from '../user-error.ts';
import { withdraw } from './server-note.ts';

export interface SharedData {
  kind: StoreKind;
  /** False: another server on a database holds the lock of the folder, and commands there find that one. */
  isFound: boolean;
  store: SharedStore;
  blobs: BlobStore;
  logs: LogStore;
  /** The folder of this server: its token, its key, its local cache. */
  path: string;
  close(): Promise<void>;
}

/** `--store`, else `WOOF_STORE`: every user of the machine can read a command line. */
export async function openSharedStore(
  flag: string | undefined,
  data: string | undefined,
): Promise<SharedData> {
  const url = flag ?? (process.env.WOOF_STORE || undefined);
  const named = flag === undefined ? 'WOOF_STORE' : '--store';
  if (url === undefined) return openFolder(data);
  if (/^postgres(ql)?:\/\//.test(url)) return openDatabase(url, data);
  if (!url.startsWith('sqlite:'))
    throw new UserError(
      `${named} ${kindOf(url)}: unknown kind of store`,
      'use sqlite:DIR or postgres://…',
      2,
    );
  if (data !== undefined)
    throw new UserError(`${named} sqlite:DIR already names a data directory`, 'leave --data out', 2);
  return openFolder(url.slice('sqlite:'.length) || undefined);
}

async function openFolder(folder: string | undefined): Promise<SharedData> {
  const data = openForServing(folder);
  await forgetTheGone(data.store);
  return { ...data, kind: 'sqlite', isFound: true, logs: new FileLogs(data.logs) };
}

/**
 * This process holds the server lock, so the previous server of this directory is gone, and so is the worker inside it,
 * which has no token. Nobody has to wait until their heartbeats are missed.
 */
async function forgetTheGone(store: SharedStore): Promise<void> {
  for (const { id, kind, info } of await store.members())
    if (kind === 'server' || info.token === null) await store.leave(id);
}

/** What servers on several machines must all see is in the database; the folder belongs to this server. */
async function openDatabase(url: string, data: string | undefined): Promise<SharedData> {
  const { openPostgres } = await import('@woof/stores/postgres');
  const { path } = locateData(data);
  makeFolder(path);
  const { store, blobs, logs, close } = await openPostgres(url, { onLongUpdate: sayLongUpdate });
  // Others may share the folder: the lock excludes nobody, it only says whose the note is.
  const lock = tryLock(lockFile(path, 'postgres'), 'exclusive', ALONE_WAIT_MS);
  if (lock) withdraw(path, 'postgres');
  return {
    kind: 'postgres',
    isFound: lock !== undefined,
    store,
    blobs: new CachedBlobs(join(path, 'blob-cache'), blobs),
    logs,
    path,
    close: async () => {
      await close();
      lock?.release();
    },
  };
}

/** Without what may be a password. */
function kindOf(url: string): string {
  return url.includes(':') ? `${url.slice(0, url.indexOf(':'))}:…` : url;
}
