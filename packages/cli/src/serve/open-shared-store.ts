/** Opens the store that servers share, and takes the server lock of their folder. */
import { join } from 'node:path';
import { type BlobStore, CachedBlobs, FileLogs, type LogStore, type SharedStore } from '@woof/stores';
import { openForServing } from '../data-directory.ts';
import { ALONE_WAIT_MS, tryLock } from '../lock-file.ts';
import { makeFolder } from '../make-folder.ts';
import { lockFile, type StoreKind } from '../remote/folder-server.ts';
import { sayLongUpdate } from '../say-long-update.ts';
import { withdraw } from './server-note.ts';
import { type StoreFlags, storeAddress } from './store-address.ts';

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

export async function openSharedStore(flags: StoreFlags): Promise<SharedData> {
  const { folder, url } = storeAddress(flags);
  return url === undefined ? openFolder(folder) : openDatabase(url, folder);
}

async function openFolder(folder: string): Promise<SharedData> {
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
async function openDatabase(url: string, path: string): Promise<SharedData> {
  const { openPostgres } = await import('@woof/stores/postgres');
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
