/**
 * A store in Postgres, for any number of servers.
 * Owns: reading, plans, snapshots. Does not own: how a batch is written (postgres-append.ts), who drives what
 * (postgres-executions.ts), lists (postgres-lists.ts), what is removed (postgres-retention.ts), connections (pool.ts).
 *
 * Invariants: what `append` acknowledged is on the database's disk (`synchronous_commit`). If the connection is lost
 * before the answer, `append` rejects, although the batch may have been accepted: a retry with the same `expected` is
 * then refused. The same object works again when the database is back.
 */
import { decodeJson, type JsonObject, type Plan, readPlan } from '@woof/net';
import { decodeFrame } from '../frame-codec.ts';
import { indexRows } from '../lists/index-rows.ts';
import type { ListPage, ListQuery } from '../lists/list-filter.ts';
import { type ListBounds, listPage } from '../lists/list-page.ts';
import { toPlain } from '../plain-text.ts';
import type {
  Append,
  Changes,
  ExecutionFilter,
  ExecutionRow,
  Frame,
  Member,
  MemberRow,
  Refused,
  SharedStore,
  Snapshot,
  StatusCounts,
} from '../store.ts';
import type { Pool } from './pool.ts';
import { PostgresAppend } from './postgres-append.ts';
import { PostgresExecutions } from './postgres-executions.ts';
import { PostgresListener } from './postgres-listener.ts';
import { PostgresLists } from './postgres-lists.ts';
import { PostgresMembers } from './postgres-members.ts';
import { PostgresPermits } from './postgres-permits.ts';
import { PostgresRecords } from './postgres-records.ts';
import { PostgresRetention } from './postgres-retention.ts';

const FIRST_PAGE = 32;
const LARGEST_PAGE = 1024;
/** After this many characters of events, the next page is smaller. */
const PAGE_SIZE = 2 * 1024 * 1024;

interface FrameRow {
  seq: number;
  length: number;
  events: string;
}

export class PostgresStore implements SharedStore {
  readonly records: PostgresRecords;
  readonly permits: PostgresPermits;
  private readonly appends: PostgresAppend;
  private readonly rows: PostgresExecutions;
  private readonly lists: PostgresLists;
  private readonly memberships: PostgresMembers;
  private readonly listener: PostgresListener;
  private readonly retention: PostgresRetention;

  constructor(private readonly pool: Pool) {
    this.records = new PostgresRecords(pool);
    this.permits = new PostgresPermits(pool);
    this.appends = new PostgresAppend(pool);
    this.rows = new PostgresExecutions(pool);
    this.lists = new PostgresLists(pool);
    this.memberships = new PostgresMembers(pool);
    this.listener = new PostgresListener(pool);
    this.retention = new PostgresRetention(pool);
  }

  append(batch: readonly Append[]): Promise<Refused[]> {
    return this.appends.append(batch);
  }

  async *read(executionId: string, from = 0): AsyncIterable<Frame> {
    const find = `SELECT e.no, coalesce((SELECT max(seq) FROM woof.frames f WHERE f.no = e.no AND seq <= $2), 0) AS seq
      FROM woof.executions e WHERE id = $1`;
    const [start] = await this.pool.query<{ no: number; seq: number }>(find, [toPlain(executionId), from]);
    if (start === undefined) return;
    const page =
      'SELECT seq, length, events FROM woof.frames WHERE no = $1 AND seq >= $2 ORDER BY seq LIMIT $3';
    for (let size = FIRST_PAGE, next = start.seq; ; ) {
      const rows = await this.pool.query<FrameRow>(page, [start.no, next, size]);
      for (const { seq, length, events } of rows) {
        if (seq + length > from) yield { from: seq, events: decodeFrame(events) };
        next = seq + length;
      }
      if (rows.length < size) return;
      const characters = rows.reduce((sum, { events }) => sum + events.length, 0);
      size = characters > PAGE_SIZE ? Math.max(1, Math.floor(size / 4)) : Math.min(size * 2, LARGEST_PAGE);
    }
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const sql = 'SELECT plan FROM woof.plans WHERE hash = $1';
    const [row] = await this.pool.query<{ plan: string }>(sql, [toPlain(hash)]);
    return row && readPlan(decodeJson(row.plan));
  }

  execution(executionId: string): Promise<ExecutionRow | undefined> {
    return this.rows.row(executionId);
  }

  executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    return this.rows.list(filter);
  }

  list(query: ListQuery = {}, bounds?: Partial<ListBounds>): Promise<ListPage> {
    return listPage(this.lists, query, bounds);
  }

  indexLists(atLeast?: number): Promise<boolean> {
    return indexRows(this.lists, atLeast);
  }

  counts(): Promise<StatusCounts> {
    return this.lists.counts();
  }

  changes(cursor: string | undefined, most: number): Promise<Changes> {
    return this.lists.changes(cursor, most);
  }

  async saveSnapshot(executionId: string, { seq, state }: Snapshot): Promise<void> {
    const sql = `INSERT INTO woof.snapshots AS s SELECT no, $2::bigint, $3::text FROM woof.executions WHERE id = $1
      ON CONFLICT (no) DO UPDATE SET seq = excluded.seq, state = excluded.state WHERE s.seq <= excluded.seq`;
    await this.pool.query(sql, [toPlain(executionId), seq, state]);
  }

  async snapshot(executionId: string): Promise<Snapshot | undefined> {
    const sql =
      'SELECT s.seq, s.state FROM woof.snapshots s JOIN woof.executions e USING (no) WHERE e.id = $1';
    const [found] = await this.pool.query<Snapshot>(sql, [toPlain(executionId)]);
    return found && { seq: found.seq, state: found.state };
  }

  forgetExecutions(days: number): Promise<boolean> {
    return this.retention.forget(days);
  }

  now(): Promise<number> {
    return this.memberships.now();
  }

  beat(member: Member, ttlMs: number): Promise<void> {
    return this.memberships.beat(member, ttlMs);
  }

  leave(memberId: string): Promise<void> {
    return this.memberships.leave(memberId);
  }

  members(kind?: Member['kind']): Promise<MemberRow[]> {
    return this.memberships.list(kind);
  }

  takeDue(driver: string, limit: number): Promise<string[]> {
    return this.rows.takeDue(driver, limit);
  }

  claim(executionId: string, from: string | null, driver: string): Promise<boolean> {
    return this.rows.claim(executionId, from, driver);
  }

  tell(memberId: string, message: JsonObject): Promise<void> {
    return this.listener.tell(memberId, message);
  }

  listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>> {
    return this.listener.listen(memberId, hear);
  }

  async close(): Promise<void> {
    await this.listener.close();
    await this.pool.close();
  }
}
