/** Opens Postgres. A separate entry point, so that programs that do not need it do not load its client. */
import type { OnLongUpdate } from '../store.ts';
import { Pool, type PoolOptions } from './pool.ts';
import { PostgresBlobs } from './postgres-blobs.ts';
import { PostgresLogs } from './postgres-logs.ts';
import { PostgresStore } from './postgres-store.ts';
import { migrate } from './schema.ts';

export type { PoolOptions } from './pool.ts';
export type { PostgresBlobs } from './postgres-blobs.ts';
export type { PostgresLogs } from './postgres-logs.ts';
export type { PostgresStore } from './postgres-store.ts';

export interface OpenPostgres {
  store: PostgresStore;
  /** Use it behind `CachedBlobs`. */
  blobs: PostgresBlobs;
  logs: PostgresLogs;
  close(): Promise<void>;
}

/** `url` as in `postgres://user:password@host/database?sslmode=require`. Brings the schema up to date. */
export async function openPostgres(
  url: string,
  { onLongUpdate, ...options }: PoolOptions & { onLongUpdate?: OnLongUpdate } = {},
): Promise<OpenPostgres> {
  const pool = new Pool(url, options);
  try {
    await migrate(pool, onLongUpdate);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const store = new PostgresStore(pool);
  return { store, blobs: new PostgresBlobs(pool), logs: new PostgresLogs(pool), close: () => store.close() };
}
