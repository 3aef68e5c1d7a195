/** Where a server keeps its runs: what `--store` names, or the data directory. */
import { locateData } from '../data-directory.ts';
import { UserError } from '../user-error.ts';
import { type Connect, inWords, STORE_KINDS, type StoreKind, storeTraits } from './store-kinds.ts';

export interface StoreFlags {
  store?: string;
  data?: string;
}

export interface StoreAddress {
  kind: StoreKind;
  /** The server's own folder: its token, its key, its notes, and, without a database, its runs. */
  folder: string;
  database?: { address: string; connect: Connect };
}

/** `--store`, else `WOOF_STORE`: every user of the machine can read a command line. */
export function storeAddress({ store, data }: StoreFlags): StoreAddress {
  const address = store ?? (process.env.WOOF_STORE || undefined);
  const named = store === undefined ? 'WOOF_STORE' : '--store';
  if (address === undefined) return { kind: 'sqlite', folder: locateData(data).path };
  const kind = STORE_KINDS.find((each) => storeTraits(each).scheme.test(address));
  if (kind === undefined)
    throw new UserError(`${named} ${kindOf(address)}: unknown kind of store`, `use ${inWords('example')}`, 2);
  const { scheme, example, connect } = storeTraits(kind);
  if (connect) return { kind, folder: locateData(data).path, database: { address, connect } };
  if (data !== undefined)
    throw new UserError(`${named} ${example} already names a data directory`, 'leave --data out', 2);
  return { kind, folder: locateData(address.replace(scheme, '') || undefined).path };
}

/** Without what may be a password. */
function kindOf(address: string): string {
  return address.includes(':') ? `${address.slice(0, address.indexOf(':'))}:…` : address;
}
