/**
 * A store in one SQLite file: WAL, synced at each commit (wal-file.ts). Any number of processes write, one at a time:
 * the lock of a commit ends before its sync. What this process remembers about the file (`heads`, the last frame) holds
 * until another process commits. Inside a transaction, `data_version` reveals that; outside one, the id of a single
 * frame does.
 * Owns: appends, plans, snapshots. Does not own: how frames are laid out (frame-log.ts), rows (sqlite-executions.ts),
 * lists of them (sqlite-lists.ts), what servers share (sqlite-members.ts, sqlite-permits.ts, sqlite-records.ts).
 */
import { decodeJson, encodeJson, type JsonObject, type Plan, readPlan } from '@woof/net';
import { Listeners, messageText } from '../listeners.ts';
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
  OnLongUpdate,
  Refused,
  SharedStore,
  Snapshot,
  StatusCounts,
} from '../store.ts';
import { FrameLog, FrameTaken } from './frame-log.ts';
import { packed, unpacked } from './packed-text.ts';
import { awaitSchema, migrate } from './schema.ts';
import { Sql } from './sql.ts';
import { SqliteCounts } from './sqlite-counts.ts';
import { SqliteExecutions } from './sqlite-executions.ts';
import { SqliteLists } from './sqlite-lists.ts';
import { SqliteMembers } from './sqlite-members.ts';
import { SqlitePermits } from './sqlite-permits.ts';
import { SqliteRecords } from './sqlite-records.ts';
import { WalFile } from './wal-file.ts';

const REMEMBERED_HEADS = 10_000;
const REMEMBERED_PLANS = 10_000;
/** A commit of more events keeps the disk busy for longer than it takes to let another thread wait for it. */
const SHORT_COMMIT = 40;

/** A commit takes less than a millisecond, but many processes may be ahead of this one. */
const WRITER_WAIT_MS = 30_000;
const READER_WAIT_MS = 5000;

export interface SqliteOptions {
  readOnly?: boolean;
  /** How long to wait for another process: one that holds a lock, or is creating or updating the file. */
  waitMs?: number;
  onLongUpdate?: OnLongUpdate;
}

interface Head {
  no: number;
  seq: number;
}

export class SqliteStore implements SharedStore {
  readonly records: SqliteRecords;
  readonly permits: SqlitePermits;
  private readonly sql: Sql;
  private readonly frames: FrameLog;
  private readonly rows: SqliteExecutions;
  private readonly statuses: SqliteCounts;
  private readonly lists: SqliteLists;
  private readonly memberships: SqliteMembers;
  private readonly listeners = new Listeners();
  private readonly wal: WalFile;
  /** Number and length of each recently written execution. */
  private readonly heads = new Map<string, Head>();
  /** Hashes of plans that are in the file. */
  private readonly plans = new Set<string>();
  /** Changes when another connection commits. */
  private version = 0;

  constructor(
    path: string,
    { readOnly = false, waitMs = waitOf(readOnly), onLongUpdate }: SqliteOptions = {},
  ) {
    this.sql = new Sql(path, { readOnly, timeout: waitMs });
    this.frames = new FrameLog(this.sql);
    this.statuses = new SqliteCounts(this.sql);
    this.rows = new SqliteExecutions(this.sql, this.statuses);
    this.lists = new SqliteLists(this.sql);
    this.memberships = new SqliteMembers(this.sql);
    this.permits = new SqlitePermits(this.sql, this.memberships);
    this.wal = new WalFile(`${path}-wal`);
    this.records = new SqliteRecords(this.sql, this.wal);
    try {
      if (readOnly) awaitSchema(this.sql, waitMs);
      else migrate(this.sql, waitMs, onLongUpdate);
    } catch (error) {
      // A connection that is left open keeps its locks until it is garbage-collected.
      this.sql.close();
      throw error;
    }
  }

  async append(batch: readonly Append[], othersRun = false): Promise<Refused[]> {
    if (this.heads.size > REMEMBERED_HEADS) this.heads.clear();
    if (this.plans.size > REMEMBERED_PLANS) this.plans.clear();
    const refused = this.commit(batch);
    if (othersRun || !isShort(batch)) await this.wal.syncAside();
    else this.wal.sync();
    if (this.wal.wantsRoom) this.reserveRoom();
    return refused;
  }

  private commit(batch: readonly Append[]): Refused[] {
    try {
      // One statement is a transaction by itself; BEGIN and COMMIT around it would cost as much as the insert.
      if (batch.length === 1 && this.isSingleRow(batch[0]!)) return this.takeAll(batch);
      return this.sql.transaction(() => {
        this.noticeOthers();
        const refused = this.takeAll(batch);
        this.statuses.save();
        return refused;
      });
    } catch (error) {
      this.forget();
      if (error instanceof FrameTaken) return this.commit(batch);
      throw error;
    }
  }

  private noticeOthers(): void {
    const version = this.sql.all<{ data_version: number }>('PRAGMA data_version')[0]!.data_version;
    if (version !== this.version) this.forget();
    this.version = version;
  }

  private forget(): void {
    this.frames.forget();
    this.heads.clear();
    this.plans.clear();
    this.statuses.forget();
  }

  /** The previous commit is durable, whatever happens here. */
  private reserveRoom(): void {
    try {
      this.sql.transaction(() => this.wal.reserve());
    } catch {
      // Without the reserved room everything works, only slower.
    }
  }

  private isSingleRow({ execution_id, plan, row, wakes }: Append): boolean {
    const head = this.heads.get(execution_id);
    return !plan && !row && !wakes?.length && head !== undefined && this.frames.continues(head.no);
  }

  private takeAll(batch: readonly Append[]): Refused[] {
    const refused: Refused[] = [];
    for (const append of batch) {
      const { execution_id, expected } = append;
      const head = this.head(execution_id);
      const actual = head?.seq ?? 0;
      const broken = refused.length > 0 && refused.some((other) => other.execution_id === execution_id);
      if (actual !== expected || broken) refused.push({ execution_id, actual });
      else this.heads.set(execution_id, this.insert(append, head));
    }
    return refused;
  }

  private insert({ execution_id, plan, row, events, wakes, inputs }: Append, known: Head | undefined): Head {
    if (plan) this.keepPlan(plan);
    if (row && known) this.rows.change(known.no, row);
    const head = known ?? { no: this.rows.create(execution_id, row as ExecutionRow, inputs), seq: 0 };
    if (wakes) this.rows.wake(wakes);
    if (events.length > 0) this.frames.append(head.no, head.seq, events);
    return { no: head.no, seq: head.seq + events.length };
  }

  private keepPlan({ hash, plan }: NonNullable<Append['plan']>): void {
    if (this.plans.has(hash)) return;
    this.sql.run('INSERT OR IGNORE INTO plans VALUES (?, ?)', hash, encodeJson(plan));
    this.plans.add(hash);
  }

  private head(id: string): Head | undefined {
    const known = this.heads.get(id);
    if (known) return known;
    const no = this.rows.numberOf(id);
    return no === undefined ? undefined : { no, seq: this.frames.length(no) };
  }

  async *read(executionId: string, from = 0): AsyncIterable<Frame> {
    const no = this.rows.numberOf(executionId);
    if (no !== undefined) yield* this.frames.read(no, from);
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const [row] = this.sql.all<{ plan: string }>('SELECT plan FROM plans WHERE hash = ?', hash);
    return row && readPlan(decodeJson(row.plan));
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    return this.rows.row(id);
  }

  async executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    return this.rows.list(filter);
  }

  list(query: ListQuery = {}, bounds?: Partial<ListBounds>): Promise<ListPage> {
    return listPage(this.lists, query, bounds);
  }

  indexLists(atLeast?: number): Promise<boolean> {
    return indexRows(this.lists, atLeast);
  }

  async counts(): Promise<StatusCounts> {
    return this.statuses.read();
  }

  async changes(cursor: string | undefined, most: number): Promise<Changes> {
    return this.lists.changes(cursor, most);
  }

  async saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void> {
    const no = this.heads.get(executionId)?.no ?? this.rows.numberOf(executionId);
    if (no === undefined) return;
    const state = await packed(snapshot.state);
    this.sql.run('INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)', no, snapshot.seq, state);
  }

  async snapshot(executionId: string): Promise<Snapshot | undefined> {
    const sql = 'SELECT seq, state FROM snapshots JOIN executions USING (no) WHERE id = ?';
    const [found] = this.sql.all<{ seq: number; state: string | Uint8Array }>(sql, toPlain(executionId));
    return found && { seq: found.seq, state: await unpacked(found.state) };
  }

  async now(): Promise<number> {
    return Date.now();
  }

  async beat(member: Member, ttlMs: number): Promise<void> {
    this.memberships.beat(member, ttlMs);
  }

  async leave(memberId: string): Promise<void> {
    this.memberships.leave(memberId);
  }

  async members(kind?: Member['kind']): Promise<MemberRow[]> {
    return this.memberships.list(kind);
  }

  async takeDue(driver: string, limit: number): Promise<string[]> {
    return this.rows.takeDue(driver, limit, (other) => this.memberships.aliveSince(other) !== undefined);
  }

  async claim(executionId: string, from: string | null, driver: string): Promise<boolean> {
    const isClaimed = this.rows.claim(executionId, from, driver);
    if (isClaimed) this.wal.sync();
    return isClaimed;
  }

  async tell(memberId: string, message: JsonObject): Promise<void> {
    this.listeners.tell(memberId, messageText(message));
  }

  async listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>> {
    return this.listeners.add(memberId, hear);
  }

  async close(): Promise<void> {
    this.wal.close();
    this.sql.close();
  }
}

function waitOf(readOnly: boolean): number {
  return readOnly ? READER_WAIT_MS : WRITER_WAIT_MS;
}

function isShort(batch: readonly Append[]): boolean {
  let events = 0;
  for (const append of batch) events += append.events.length;
  return events <= SHORT_COMMIT;
}
