/**
 * Updates a file to this program's schema, and refuses a newer one.
 *
 * Another process may be creating or updating the file at the same moment. It does so in one transaction, so a reader
 * sees the schema before or after it, and waits for the latter. Something is wrong with the file only if it stays as it
 * is.
 */
import { LONG_UPDATE, type OnLongUpdate, StoreError } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { retryLocked, waitUntil } from './retry-locked.ts';
import type { Sql } from './sql.ts';

function newest(sql: Sql): number {
  return sql.all<{ no: number | null }>('SELECT max(no) AS no FROM executions')[0]?.no ?? 0;
}

function versionOf(sql: Sql): number {
  const [row] = sql.all<{ user_version: number }>('PRAGMA user_version');
  const version = row?.user_version ?? 0;
  if (version > MIGRATIONS.length) {
    const message = `the data directory has schema version ${version}, and this Woof supports versions up to ${MIGRATIONS.length}. Use a newer Woof`;
    throw new StoreError('newer_schema', message);
  }
  return version;
}

/** Waits this long for the process that creates or updates the file. */
export function awaitSchema(sql: Sql, waitMs: number): void {
  const isCurrent = () => versionOf(sql) === MIGRATIONS.length;
  if (waitUntil(isCurrent, waitMs)) return;
  const message =
    versionOf(sql) === 0
      ? 'the data directory is incomplete: the process that was creating it did not finish. Run woof run FILE to complete it'
      : 'the data directory has an older schema; any command of this Woof that writes to it updates it';
  throw new StoreError('unreadable', message);
}

/** All or nothing. If several processes open a new file, one creates it and the others find it created. */
export function migrate(sql: Sql, waitMs: number, onLong: OnLongUpdate = () => {}): void {
  // SQLite refuses this at once, without its own waiting, when two connections ask for it together.
  retryLocked(() => sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;'), waitMs);
  if (versionOf(sql) === MIGRATIONS.length) return;
  sql.transaction(() => {
    const version = versionOf(sql);
    const executions = version === 0 ? 0 : newest(sql);
    if (executions >= LONG_UPDATE) onLong(executions);
    for (const step of MIGRATIONS.slice(version)) sql.exec(step);
    sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
