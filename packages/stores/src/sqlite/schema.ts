/**
 * Brings a file to this program's schema, and refuses a newer one.
 *
 * Another process may be making or updating the file at the same moment. It does so in one transaction, so a reader sees
 * the schema before or after it, and waits for the latter. Only a file that stays as it is has something wrong with it.
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

/** Waits for the process that makes or updates the file, for this long. */
export function awaitSchema(sql: Sql, waitMs: number): void {
  const isCurrent = () => versionOf(sql) === MIGRATIONS.length;
  if (waitUntil(isCurrent, waitMs)) return;
  const message =
    versionOf(sql) === 0
      ? 'the data directory is incomplete: the process that was creating it did not finish. Run woof run FILE to complete it'
      : 'the data directory has an older schema; any command of this Woof that writes to it updates it';
  throw new StoreError('unreadable', message);
}

/** All of it or nothing. Of several processes that open a new file, one makes it, and the others find it made. */
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
