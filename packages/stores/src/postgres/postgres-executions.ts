/** The rows of executions in Postgres: found, and assigned to drivers. */
import { randomUUID } from 'node:crypto';
import { fromPlain, fromPlainJson, toPlain } from '../plain-text.ts';
import { type ExecutionFilter, type ExecutionRow, LOCAL_DRIVER } from '../store.ts';
import { arrayOf, type Pool, type Value } from './pool.ts';

/**
 * The drivers are read from the index, one step per driver, and each search follows the order of its index: with 20,000
 * running executions of which none is due it takes 1 ms, compared with 20 ms if all searches are in the order of age.
 * The rows are locked while they are searched, so that two callers skip each other's rows; a row that changed meanwhile
 * is judged again by its current values.
 */
const TAKE_DUE = `
WITH RECURSIVE at AS MATERIALIZED (SELECT woof.now_ms() AS now),
driving AS (
  (SELECT driver FROM woof.executions WHERE status = 'running' AND driver IS NOT NULL ORDER BY driver LIMIT 1)
  UNION ALL
  SELECT (SELECT e.driver FROM woof.executions e WHERE e.status = 'running' AND e.driver > d.driver
    ORDER BY e.driver LIMIT 1)
  FROM driving d WHERE d.driver IS NOT NULL
), lost AS MATERIALIZED (
  SELECT driver FROM driving d, at WHERE driver IS NOT NULL
  AND driver NOT LIKE '${LOCAL_DRIVER}%'
  AND NOT EXISTS (SELECT 1 FROM woof.members m WHERE m.id = d.driver AND m.until > at.now)
), undriven AS (
  SELECT no FROM woof.executions WHERE status = 'running' AND driver IS NULL
  ORDER BY no LIMIT $2 FOR UPDATE SKIP LOCKED
), orphaned AS (
  SELECT e.no FROM lost l CROSS JOIN LATERAL (
    SELECT no FROM woof.executions WHERE status = 'running' AND driver = l.driver
    ORDER BY no LIMIT $2 FOR UPDATE SKIP LOCKED
  ) e
), timed AS (
  SELECT no FROM woof.executions WHERE status = 'running' AND driver = $1 AND due_at <= (SELECT now FROM at)
  ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
), woken AS (
  SELECT no FROM woof.executions WHERE status = 'running' AND driver = $1
  AND no = ANY (ARRAY(SELECT no FROM woof.wakes))
  ORDER BY no LIMIT $2 FOR UPDATE SKIP LOCKED
), unheard AS (
  SELECT no FROM woof.executions WHERE cardinality($4::text[]) > 0
  AND status = 'running' AND driver = $1 AND taken = ANY ($4::text[])
  ORDER BY no LIMIT $2 FOR UPDATE SKIP LOCKED
), due AS (
  SELECT no FROM undriven UNION SELECT no FROM orphaned UNION SELECT no FROM timed
  UNION SELECT no FROM woken UNION SELECT no FROM unheard
  ORDER BY no LIMIT $2
), given AS (
  UPDATE woof.executions e SET taken = $3, changed = txid_current(), row = e.row || jsonb_build_object('driver', $1::text)
    || CASE WHEN e.due_at <= at.now THEN '{"due_at": null}'::jsonb ELSE '{}'::jsonb END
  FROM at WHERE e.no = ANY (ARRAY(SELECT no FROM due)) RETURNING e.no, e.id
), answered AS (
  DELETE FROM woof.wakes w WHERE w.no IN (SELECT no FROM given)
  OR w.no IN (SELECT e.no FROM woof.executions e WHERE e.no = w.no AND e.status IN ('succeeded', 'failed', 'cancelled'))
)
SELECT id FROM given ORDER BY no`;

/** Whoever claims the same run at the same time waits for the lock, and then finds another driver. */
const CLAIM = `
WITH RECURSIVE root AS MATERIALIZED (
  SELECT no, id FROM woof.executions WHERE id = $1 AND driver IS NOT DISTINCT FROM $2::text FOR UPDATE
), family AS (
  SELECT no, id, TRUE AS counts FROM root
  UNION SELECT e.no, e.id, e.status IN ('running', 'paused', 'needs_human')
    FROM woof.executions e JOIN family f ON e.parent = f.id
)
UPDATE woof.executions e SET row = e.row || jsonb_build_object('driver', $3::text), changed = txid_current()
WHERE e.no IN (SELECT no FROM family WHERE counts) RETURNING e.no`;

/** Longer than any statement takes, so that a lost call has ended on the server too. */
const UNHEARD_MS = 120_000;

export class PostgresExecutions {
  /** Calls whose answers were lost, and when they were made. */
  private unheard: { call: string; at: number }[] = [];

  constructor(private readonly pool: Pool) {}

  async row(id: string): Promise<ExecutionRow | undefined> {
    const sql = 'SELECT row::text FROM woof.executions WHERE id = $1';
    const [found] = await this.pool.query<{ row: string }>(sql, [toPlain(id)]);
    return found && fromPlainJson(found.row);
  }

  async list(filter: ExecutionFilter): Promise<ExecutionRow[]> {
    const conditions: string[] = ['TRUE'];
    const values: Value[] = [];
    const bind = (value: Value) => `$${values.push(value)}`;
    if (filter.status !== undefined) {
      conditions.push(`status = ANY (${bind(arrayOf([filter.status].flat()))}::text[])`);
    }
    for (const column of ['path', 'parent', 'driver'] as const) {
      if (filter[column] !== undefined) conditions.push(`${column} = ${bind(toPlain(filter[column]))}`);
    }
    for (const key of ['kind', 'name'] as const) {
      if (filter[key] !== undefined) conditions.push(`row ->> '${key}' = ${bind(toPlain(filter[key]))}`);
    }
    if (filter.roots) conditions.push('parent IS NULL');
    if (filter.wanting) conditions.push('wanting');
    if (filter.before !== undefined) {
      conditions.push(`no < (SELECT no FROM woof.executions WHERE id = ${bind(toPlain(filter.before))})`);
    }
    const limit = filter.limit === undefined ? '' : `LIMIT ${bind(filter.limit)}`;
    const where = conditions.join(' AND ');
    const sql = `SELECT row::text FROM woof.executions WHERE ${where} ORDER BY no DESC ${limit}`;
    const rows = await this.pool.query<{ row: string }>(sql, values);
    return rows.map(({ row }) => fromPlainJson(row));
  }

  async claim(id: string, from: string | null, driver: string): Promise<boolean> {
    const values = [toPlain(id), from === null ? null : toPlain(from), toPlain(driver)];
    return (await this.pool.query(CLAIM, values)).length > 0;
  }

  /**
   * If an answer were lost with its connection, its executions would have a driver that does not know of them. So a
   * call marks what it takes with its name, and what a lost call took is returned again.
   */
  async takeDue(driver: string, limit: number): Promise<string[]> {
    const call = randomUUID();
    const at = Date.now();
    const names = arrayOf(this.unheard.map((lost) => lost.call));
    try {
      const rows = await this.pool.query<{ id: string }>(TAKE_DUE, [toPlain(driver), limit, call, names]);
      const isOver = rows.length < limit;
      this.unheard = this.unheard.filter((lost) => !isOver || at - lost.at < UNHEARD_MS);
      return rows.map(({ id }) => fromPlain(id));
    } catch (error) {
      this.unheard.push({ call, at });
      throw error;
    }
  }
}
