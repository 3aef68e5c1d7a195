/** The rows of executions in SQLite: stored, found, and assigned to drivers. Does not own: their frames. */

import type { Inputs } from '../lists/inputs.ts';
import { fromPlain, fromPlainJson, toPlain, toPlainJson } from '../plain-text.ts';
import { type ExecutionFilter, type ExecutionRow, isLocalDriver } from '../store.ts';
import type { Sql } from './sql.ts';
import type { SqliteCounts } from './sqlite-counts.ts';

interface Due {
  no: number;
  id: string;
}

/** Changes are numbered in commit order, because one process at a time writes. */
const NEXT_CHANGE = '(SELECT coalesce(max(changed), 0) + 1 FROM executions)';

export class SqliteExecutions {
  constructor(
    private readonly sql: Sql,
    private readonly counts: SqliteCounts,
  ) {}

  create(id: string, row: ExecutionRow, inputs?: Inputs): number {
    const columns = 'id, parent, path, status, driver, due_at, row, inputs, changed';
    const [parent, path] = [plainOrNull(row.parent), plainOrNull(row.path)];
    this.sql.run(
      `INSERT INTO executions (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${NEXT_CHANGE})`,
      ...[toPlain(id), parent, path, ...changing(row), inputs ? toPlainJson(inputs) : null],
    );
    this.counts.add(row, 1);
    return this.sql.all<{ no: number }>('SELECT last_insert_rowid() AS no')[0]!.no;
  }

  change(no: number, change: Partial<ExecutionRow>): void {
    const [known] = this.sql.all<{ row: string }>('SELECT row FROM executions WHERE no = ?', no);
    const before = fromPlainJson<ExecutionRow>(known!.row);
    const row = { ...before, ...change };
    const columns = `status = ?, driver = ?, due_at = ?, row = ?, changed = ${NEXT_CHANGE}`;
    this.sql.run(`UPDATE executions SET ${columns} WHERE no = ?`, ...changing(row), no);
    this.counts.add(before, -1);
    this.counts.add(row, 1);
    if (change.parent === undefined && change.path === undefined) return;
    const moved = [plainOrNull(row.parent), plainOrNull(row.path), no] as const;
    this.sql.run('UPDATE executions SET parent = ?, path = ? WHERE no = ?', ...moved);
  }

  numberOf(id: string): number | undefined {
    return this.sql.all<{ no: number }>('SELECT no FROM executions WHERE id = ?', toPlain(id))[0]?.no;
  }

  row(id: string): ExecutionRow | undefined {
    const [found] = this.sql.all<{ row: string }>('SELECT row FROM executions WHERE id = ?', toPlain(id));
    return found && fromPlainJson(found.row);
  }

  list(filter: ExecutionFilter): ExecutionRow[] {
    const conditions: string[] = ['TRUE'];
    const values: string[] = [];
    const where = (condition: string, ...bound: string[]) => {
      conditions.push(condition);
      values.push(...bound);
    };
    if (filter.status !== undefined) {
      where('status IN (SELECT value FROM json_each(?))', JSON.stringify([filter.status].flat()));
    }
    for (const column of ['kind', 'name', 'path', 'parent', 'driver'] as const) {
      if (filter[column] !== undefined) where(`${column} = ?`, toPlain(filter[column]));
    }
    if (filter.roots) where('parent IS NULL');
    if (filter.wanting) where('wants IS NOT NULL');
    if (filter.before !== undefined)
      where('no < (SELECT no FROM executions WHERE id = ?)', toPlain(filter.before));
    const from = isAmongRunning(filter) ? 'executions INDEXED BY running_by_driver' : 'executions';
    if (isAmongRunning(filter)) where(`status = 'running'`);
    const sql = `SELECT row FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY no DESC LIMIT ?`;
    const rows = this.sql.all<{ row: string }>(sql, ...values, filter.limit ?? -1);
    return rows.map(({ row }) => fromPlainJson(row));
  }

  wake(ids: readonly string[]): void {
    const sql = 'INSERT OR IGNORE INTO wakes SELECT no FROM executions WHERE id = ?';
    for (const id of ids) this.sql.run(sql, toPlain(id));
  }

  takeDue(driver: string, limit: number, isAlive: (driver: string) => boolean): string[] {
    return this.sql.transaction(() => {
      const now = Date.now();
      const due = new Map(this.due(driver, limit, now, isAlive).map(({ no, id }) => [no, id]));
      const taken = [...due].sort(([a], [b]) => a - b).slice(0, limit);
      for (const [no] of taken) this.give(no, driver, now);
      return taken.map(([, id]) => fromPlain(id));
    });
  }

  claim(id: string, from: string | null, driver: string): boolean {
    return this.sql.transaction(() => {
      const plain = toPlain(id);
      const free = 'SELECT no FROM executions WHERE id = ? AND driver IS ?';
      if (this.sql.all(free, plain, plainOrNull(from)).length === 0) return false;
      for (const { no } of this.sql.all<{ no: number }>(FAMILY, plain)) this.change(no, { driver });
      return true;
    });
  }

  private due(driver: string, limit: number, now: number, isAlive: (driver: string) => boolean): Due[] {
    const { sql } = this;
    const plain = toPlain(driver);
    const lost = this.drivers().filter((other) => !isLocalDriver(other) && !isAlive(fromPlain(other)));
    return [
      ...sql.all<Due>(`${RUNNING} AND driver IS NULL ORDER BY no LIMIT ?`, limit),
      ...lost.flatMap((other) => sql.all<Due>(`${RUNNING} AND driver = ? ORDER BY no LIMIT ?`, other, limit)),
      ...sql.all<Due>(`${RUNNING} AND driver = ? AND due_at <= ? ORDER BY no LIMIT ?`, plain, now, limit),
      ...sql.all<Due>(
        `${RUNNING} AND driver = ? AND no IN (SELECT no FROM wakes) ORDER BY no LIMIT ?`,
        plain,
        limit,
      ),
    ];
  }

  /** All drivers, with one index lookup per driver. */
  private drivers(): string[] {
    const next = `SELECT min(driver) AS driver FROM executions WHERE status = 'running' AND driver > ?`;
    const drivers: string[] = [];
    for (let last = ''; ; last = drivers.at(-1)!) {
      const driver = this.sql.all<{ driver: string | null }>(next, last)[0]?.driver;
      if (driver == null) return drivers;
      drivers.push(driver);
    }
  }

  private give(no: number, driver: string, now: number): void {
    const [known] = this.sql.all<{ due_at: number | null }>('SELECT due_at FROM executions WHERE no = ?', no);
    const isReached = known!.due_at !== null && known!.due_at <= now;
    this.change(no, isReached ? { driver, due_at: null } : { driver });
    this.sql.run('DELETE FROM wakes WHERE no = ?', no);
  }
}

const RUNNING = `SELECT no, id FROM executions WHERE status = 'running'`;

const FAMILY = `WITH RECURSIVE family (no, id, counts) AS (
  SELECT no, id, TRUE FROM executions WHERE id = ?
  UNION SELECT e.no, e.id, e.status IN ('running', 'paused', 'needs_human')
    FROM executions e JOIN family ON e.parent = family.id
) SELECT no FROM family WHERE counts`;

/** Only a few of all executions are running, and servers ask for them every second. */
function isAmongRunning({ status, parent, path }: ExecutionFilter): boolean {
  const [only, ...others] = [status ?? []].flat();
  return only === 'running' && others.length === 0 && parent === undefined && path === undefined;
}

function plainOrNull(text: string | null | undefined): string | null {
  return text == null ? null : toPlain(text);
}

function changing(row: ExecutionRow): [string, string | null, number | null, string] {
  return [row.status, plainOrNull(row.driver), row.due_at ?? null, toPlainJson(row)];
}
