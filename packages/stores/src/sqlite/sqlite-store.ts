/**
 * A store in one SQLite file: WAL, synced at each commit (wal-file.ts), one process that writes.
 * Owns: transactions, rows of executions, plans, snapshots. Does not own: how frames lie (frame-log.ts).
 */
import type { Plan } from '@woof/net';
import type { Append, ExecutionFilter, ExecutionRow, Frame, Refused, Snapshot, Store } from '../store.ts';
import { StoreError } from '../store.ts';
import { FrameLog } from './frame-log.ts';
import { MIGRATIONS } from './migrations.ts';
import { Sql } from './sql.ts';
import { WalFile } from './wal-file.ts';

const REMEMBERED_HEADS = 10_000;

interface Head {
  no: number;
  seq: number;
}

export class SqliteStore implements Store {
  private readonly sql: Sql;
  private readonly frames: FrameLog;
  private readonly wal: WalFile;
  /** Number and length of each execution that was written lately. */
  private readonly heads = new Map<string, Head>();

  constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.sql = new Sql(path, { readOnly: options.readOnly ?? false, timeout: 5000 });
    this.frames = new FrameLog(this.sql);
    this.wal = new WalFile(`${path}-wal`);
    if (options.readOnly) checkVersion(this.sql);
    else {
      this.sql.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      migrate(this.sql);
    }
  }

  async append(batch: readonly Append[]): Promise<Refused[]> {
    const refused: Refused[] = [];
    if (this.heads.size > REMEMBERED_HEADS) this.heads.clear();
    // One statement is a transaction by itself; the two that would frame it cost as much as the insert.
    const alone = batch.length === 1 && this.isSingleRow(batch[0]!);
    try {
      if (!alone) this.sql.run('BEGIN IMMEDIATE');
      for (const append of batch) this.take(append, refused);
      if (!alone) this.sql.run('COMMIT');
      this.wal.sync();
      return refused;
    } catch (error) {
      if (!alone) this.rollBack();
      this.frames.forget();
      for (const append of batch) this.heads.delete(append.execution_id);
      throw explained(error);
    }
  }

  private isSingleRow({ execution_id, plan, row }: Append): boolean {
    const head = this.heads.get(execution_id);
    return !plan && !row && head !== undefined && this.frames.continues(head.no);
  }

  private take(append: Append, refused: Refused[]): void {
    const { execution_id, expected } = append;
    const head = this.head(execution_id);
    const actual = head?.seq ?? 0;
    if (actual !== expected) refused.push({ execution_id, actual });
    else this.heads.set(execution_id, this.insert(append, head));
  }

  private insert(append: Append, known: Head | undefined): Head {
    const { plan, row, events } = append;
    if (plan) this.sql.run('INSERT OR IGNORE INTO plans VALUES (?, ?)', plan.hash, JSON.stringify(plan.plan));
    const head = known ?? this.create(append);
    if (row && append.expected > 0) this.updateRow(append.execution_id, row);
    if (events.length > 0) this.frames.append(head.no, head.seq, events);
    return { no: head.no, seq: head.seq + events.length };
  }

  private create(append: Append): Head {
    const row = JSON.stringify(append.row);
    const { status, parent } = append.row as ExecutionRow;
    const columns = [append.execution_id, status, parent ?? null, row] as const;
    this.sql.run('INSERT INTO executions (id, status, parent, row) VALUES (?, ?, ?, ?)', ...columns);
    const [created] = this.sql.all<{ no: number }>('SELECT last_insert_rowid() AS no');
    return { no: created!.no, seq: 0 };
  }

  private updateRow(id: string, change: Partial<ExecutionRow>): void {
    const [known] = this.sql.all<{ row: string }>('SELECT row FROM executions WHERE id = ?', id);
    const row = { ...JSON.parse(known!.row), ...change } as ExecutionRow;
    this.sql.run(
      'UPDATE executions SET status = ?, row = ? WHERE id = ?',
      row.status,
      JSON.stringify(row),
      id,
    );
  }

  private head(id: string): Head | undefined {
    const known = this.heads.get(id);
    if (known) return known;
    const no = this.numberOf(id);
    return no === undefined ? undefined : { no, seq: this.frames.length(no) };
  }

  private numberOf(id: string): number | undefined {
    return this.sql.all<{ no: number }>('SELECT no FROM executions WHERE id = ?', id)[0]?.no;
  }

  async *read(executionId: string, from = 0): AsyncIterable<Frame> {
    const no = this.numberOf(executionId);
    if (no !== undefined) yield* this.frames.read(no, from);
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const [row] = this.sql.all<{ plan: string }>('SELECT plan FROM plans WHERE hash = ?', hash);
    return row && (JSON.parse(row.plan) as Plan);
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    const [found] = this.sql.all<{ row: string }>('SELECT row FROM executions WHERE id = ?', id);
    return found && (JSON.parse(found.row) as ExecutionRow);
  }

  async executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    const statuses = filter.status === undefined ? null : JSON.stringify([filter.status].flat());
    const sql = `SELECT row FROM executions
      WHERE (? IS NULL OR status IN (SELECT value FROM json_each(?))) AND (? = 0 OR parent IS NULL)
      ORDER BY no DESC LIMIT ?`;
    const rows = this.sql.all<{ row: string }>(
      sql,
      statuses,
      statuses,
      filter.roots ? 1 : 0,
      filter.limit ?? -1,
    );
    return rows.map(({ row }) => JSON.parse(row) as ExecutionRow);
  }

  async saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void> {
    const no = this.heads.get(executionId)?.no ?? this.numberOf(executionId);
    if (no === undefined) return;
    try {
      this.sql.run('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)', no, snapshot.seq, snapshot.state);
    } catch (error) {
      throw explained(error);
    }
  }

  async snapshot(executionId: string): Promise<Snapshot | undefined> {
    const sql = 'SELECT seq, state FROM snapshots JOIN executions USING (no) WHERE id = ?';
    return this.sql.all<Snapshot>(sql, executionId)[0];
  }

  async close(): Promise<void> {
    this.wal.close();
    this.sql.close();
  }

  private rollBack(): void {
    try {
      this.sql.run('ROLLBACK');
    } catch {
      // SQLite rolls back by itself on a full disk; then there is nothing left to undo.
    }
  }
}

function versionOf(sql: Sql): number {
  const [row] = sql.all<{ user_version: number }>('PRAGMA user_version');
  const version = row?.user_version ?? 0;
  if (version > MIGRATIONS.length) {
    const message = `the data directory has schema ${version}; this woof knows ${MIGRATIONS.length}. Use a newer woof`;
    throw new StoreError('newer_schema', message);
  }
  return version;
}

function checkVersion(sql: Sql): void {
  if (versionOf(sql) < MIGRATIONS.length) {
    const message = 'the data directory has an older schema; any writing verb of this woof updates it';
    throw new StoreError('unreadable', message);
  }
}

function migrate(sql: Sql): void {
  if (versionOf(sql) === MIGRATIONS.length) return;
  sql.exec('BEGIN EXCLUSIVE');
  for (let version = versionOf(sql); version < MIGRATIONS.length; version++) sql.exec(MIGRATIONS[version]!);
  sql.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

function explained(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (/disk is full|SQLITE_FULL|disk I\/O error/i.test(error.message)) {
    const message = `the disk of the data directory is full or failing (${error.message}). Free some space, then: woof resume RUN`;
    return new StoreError('disk_full', message, { cause: error });
  }
  return error;
}
