/** Brings a file to this program's schema, and refuses a newer one. */
import { StoreError } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Sql } from './sql.ts';

function versionOf(sql: Sql): number {
  const [row] = sql.all<{ user_version: number }>('PRAGMA user_version');
  const version = row?.user_version ?? 0;
  if (version > MIGRATIONS.length) {
    const message = `the data directory has schema ${version}; this woof knows ${MIGRATIONS.length}. Use a newer woof`;
    throw new StoreError('newer_schema', message);
  }
  return version;
}

export function checkVersion(sql: Sql): void {
  if (versionOf(sql) < MIGRATIONS.length) {
    const message = 'the data directory has an older schema; any writing verb of this woof updates it';
    throw new StoreError('unreadable', message);
  }
}

export function migrate(sql: Sql): void {
  if (versionOf(sql) === MIGRATIONS.length) return;
  sql.exec('BEGIN EXCLUSIVE');
  for (let version = versionOf(sql); version < MIGRATIONS.length; version++) sql.exec(MIGRATIONS[version]!);
  sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}
