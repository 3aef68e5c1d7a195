/**
 * The kinds of stores in which a server can keep its runs, one row per kind. Most commands read this table, so a row
 * loads its client only when it connects.
 */
import type { BlobStore, LogStore, OnLongUpdate, SharedStore } from '@woof/stores';
import { SERVER_LOCK } from '../drivers/drivers.ts';

export type Connect<Store extends SharedStore = SharedStore> = (
  address: string,
  options: { onLongUpdate: OnLongUpdate },
) => Promise<{ store: Store; blobs: BlobStore; logs: LogStore; close(): Promise<void> }>;

type StoreTraits = {
  /** As messages call it. */
  title: string;
  /** How its addresses begin. */
  scheme: RegExp;
  /** An address, as messages show it. */
  example: string;
  /** The lock and the note of its server in a data directory. Two kinds never share one. */
  lock: string;
  note: string;
} & (
  | {
      /** Opens the database with this address. Absent: the store is the data directory that the address names. */
      connect?: Connect;
      /** Whether it can remove old runs (`--keep-days`). */
      removesRuns: false;
    }
  | { connect: Connect<SharedStore & Required<Pick<SharedStore, 'forgetExecutions'>>>; removesRuns: true }
);

/** SQLite comes first: the runs of a data directory are those of its server on SQLite. */
const ROWS = {
  sqlite: {
    title: 'SQLite',
    scheme: /^sqlite:/,
    example: 'sqlite:DIR',
    lock: SERVER_LOCK,
    note: 'server.json',
    removesRuns: false,
  },
  postgres: {
    title: 'Postgres',
    scheme: /^postgres(ql)?:\/\//,
    example: 'postgres://…',
    lock: 'database-server.db',
    note: 'database-server.json',
    connect: async (address, options) =>
      (await import('@woof/stores/postgres')).openPostgres(address, options),
    removesRuns: true,
  },
} satisfies Record<string, StoreTraits>;

export type StoreKind = keyof typeof ROWS;

export const STORE_KINDS = Object.keys(ROWS) as StoreKind[];

export function storeTraits(kind: StoreKind): StoreTraits {
  return ROWS[kind];
}

/** What messages say about these kinds: `sqlite:DIR or postgres://…`. */
export function inWords(trait: 'title' | 'example', kinds: readonly StoreKind[] = STORE_KINDS): string {
  return kinds.map((kind) => storeTraits(kind)[trait]).join(' or ');
}
