/** Opens the store that servers share, and takes the server lock of their folder. */
import { join } from 'node:path';
import { type BlobStore, CachedBlobs, FileLogs, type LogStore, type SharedStore } from '@woof/stores';
import { openForServing } from '../data-directory.ts';
import { ALONE_WAIT_MS, tryLock } from '../lock-file.ts';
import { makeFolder } from '../make-folder.ts';
import { lockFile } from '../remote/folder-server.ts';
import { sayLongUpdate } from '../say-long-update.ts';
import { withdraw } from './server-note.ts';
import { type StoreAddress, type StoreFlags, storeAddress } from './store-address.ts';
import type { StoreKind } from './store-kinds.ts';

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
  const address = storeAddress(flags);
  return address.database ? openDatabase(address, address.database) : openFolder(address);
}

async function openFolder({ kind, folder }: StoreAddress): Promise<SharedData> {
  const data = openForServing(folder);
  await forgetTheGone(data.store);
  return { ...data, kind, isFound: true, logs: new FileLogs(data.logs) };
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
async function openDatabase(
  { kind, folder: path }: StoreAddress,
  { address, connect }: NonNullable<StoreAddress['database']>,
): Promise<SharedData> {
  makeFolder(path);
  const { store, blobs, logs, close } = await connect(address, { onLongUpdate: sayLongUpdate });
  // Others may share the folder: the lock excludes nobody, it only says whose the note is.
  const lock = tryLock(lockFile(path, kind), 'exclusive', ALONE_WAIT_MS);
  if (lock) withdraw(path, kind);
  return {
    kind,
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
