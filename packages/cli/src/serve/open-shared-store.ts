/** The store that servers share, by its address: `sqlite:DIR`, or the data directory unless it is said. */
import type { BlobStore, SharedStore } from '@woof/stores';
import { openForWriting } from '../data-directory.ts';
import { UserError } from '../user-error.ts';

export interface SharedData {
  store: SharedStore;
  blobs: BlobStore;
  /** The folder of this server: its token, its key, what tasks wrote. */
  path: string;
  logs: string;
  close(): Promise<void>;
}

export function openSharedStore(url: string | undefined, data: string | undefined): SharedData {
  if (url === undefined) return openForWriting(data);
  if (url.startsWith('sqlite:')) {
    if (data !== undefined)
      throw new UserError('--store sqlite:DIR names a data directory already', 'leave --data out', 2);
    return openForWriting(url.slice('sqlite:'.length) || undefined);
  }
  throw new UserError(`--store ${url}: no such kind of store`, 'give sqlite:DIR', 2);
}
