/** Updates a database to this program's schema, one server at a time, and refuses a newer one. */
import { LONG_UPDATE, type OnLongUpdate, StoreError } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Pool } from './pool.ts';
import { explained } from './postgres-fault.ts';

/** An arbitrary number that other programs on the same database are unlikely to use. */
const LOCK = 7_706_611_020_261;

const COUNT = 'SELECT count(*) AS count FROM woof.executions';
/**
 * A database that was restored from a dump restarts its transaction numbers, so its changes have numbers from the
 * future.
 */
const IS_MOVED = `SELECT coalesce(max(changed), 0) >= txid_snapshot_xmax(txid_current_snapshot()) AS is_moved
  FROM woof.executions`;
const NUMBER_ANEW = `UPDATE woof.executions SET changed = 0 WHERE changed <> 0;
  TRUNCATE woof.list_watermark, woof.list_postings, woof.list_blocks`;

export async function migrate(pool: Pool, onLong: OnLongUpdate = () => {}): Promise<void> {
  // On its own connection, because a step may take long.
  const client = pool.dedicated({ connection: { application_name: 'woof', statement_timeout: 0 } });
  try {
    await client.begin(async (sql) => {
      await sql.unsafe(`SELECT pg_advisory_xact_lock(${LOCK})`);
      const [made] = await sql.unsafe(`SELECT to_regclass('woof.schema') IS NOT NULL AS is_there`);
      if (!made!.is_there) {
        await sql.unsafe(`CREATE SCHEMA IF NOT EXISTS woof; CREATE TABLE woof.schema (version integer NOT NULL);
          INSERT INTO woof.schema VALUES (0)`);
      }
      const [schema] = await sql.unsafe('SELECT version FROM woof.schema');
      const version = Number(schema!.version);
      if (version > MIGRATIONS.length) throw newer(version);
      const isOld = version > 0 && version < MIGRATIONS.length;
      const executions = isOld ? Number((await sql.unsafe(COUNT))[0]!.count) : 0;
      if (executions >= LONG_UPDATE) onLong(executions);
      for (const step of MIGRATIONS.slice(version)) await sql.unsafe(step);
      if (version < MIGRATIONS.length)
        await sql.unsafe(`UPDATE woof.schema SET version = ${MIGRATIONS.length}`);
      const [moved] = await sql.unsafe(IS_MOVED);
      if (moved!.is_moved) await sql.unsafe(NUMBER_ANEW);
    });
  } catch (error) {
    throw explained(error, pool.place);
  } finally {
    await client.end({ timeout: 5 });
  }
}

function newer(version: number): StoreError {
  const message = `the database has schema version ${version}, and this Woof supports versions up to ${MIGRATIONS.length}. Use a newer Woof`;
  return new StoreError('newer_schema', message);
}
