/** Where a server keeps its runs: `sqlite:DIR`, `postgres://…`, or the data directory. */
import { locateData } from '../data-directory.ts';
import type { StoreKind } from '../remote/folder-server.ts';
import { UserError } from '../user-error.ts';

export interface StoreFlags {
  store?: string;
  data?: string;
}

export interface StoreAddress {
  kind: StoreKind;
  /** The server's own folder: its token, its key, its notes, and for SQLite its runs. */
  folder: string;
  /** The database. */
  url?: string;
}

/** `--store`, else `WOOF_STORE`: every user of the machine can read a command line. */
export function storeAddress({ store, data }: StoreFlags): StoreAddress {
  const address = store ?? (process.env.WOOF_STORE || undefined);
  const named = store === undefined ? 'WOOF_STORE' : '--store';
  if (address === undefined) return { kind: 'sqlite', folder: locateData(data).path };
  if (/^postgres(ql)?:\/\//.test(address))
    return { kind: 'postgres', folder: locateData(data).path, url: address };
  if (!address.startsWith('sqlite:'))
    throw new UserError(
      `${named} ${kindOf(address)}: unknown kind of store`,
      'use sqlite:DIR or postgres://…',
      2,
    );
  if (data !== undefined)
    throw new UserError(`${named} sqlite:DIR already names a data directory`, 'leave --data out', 2);
  return { kind: 'sqlite', folder: locateData(address.slice('sqlite:'.length) || undefined).path };
}

/** Without what may be a password. */
function kindOf(address: string): string {
  return address.includes(':') ? `${address.slice(0, address.indexOf(':'))}:…` : address;
}
