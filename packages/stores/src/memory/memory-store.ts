/**
 * A store in memory, for tests and simulations, which pass in their clock. Values cross it as JSON text, as in every
 * other store.
 */
import {
  decodeJson,
  decodeStored,
  type Event,
  encodeJson,
  encodeStored,
  type JsonObject,
  newEvent,
  type Plan,
  readPlan,
} from '@woof/net';
import { Listeners, messageText } from '../listeners.ts';
import type { Inputs } from '../lists/inputs.ts';
import { type ListPage, type ListQuery, matches } from '../lists/list-filter.ts';
import {
  type Append,
  type Changes,
  type ExecutionFilter,
  type ExecutionRow,
  type Frame,
  isLocalDriver,
  type Member,
  type MemberRow,
  NO_COUNTS,
  type Refused,
  type SharedStore,
  type Snapshot,
  type StatusCounts,
} from '../store.ts';
import { MemoryMembers } from './memory-members.ts';
import { MemoryPermits } from './memory-permits.ts';
import { MemoryRecords } from './memory-records.ts';

const OPEN = new Set<string>(['running', 'paused', 'needs_human']);

const PAGE = 100;

interface Log {
  row: ExecutionRow;
  inputs: Inputs | undefined;
  /** The number of the row's last change. */
  changed: number;
  seq: number;
  woken: boolean;
  frames: { from: number; length: number; events: string }[];
  snapshot?: Snapshot;
}

export class MemoryStore implements SharedStore {
  readonly records = new MemoryRecords();
  readonly permits: MemoryPermits;
  private readonly memberships: MemoryMembers;
  private readonly listeners = new Listeners();
  private readonly logs = new Map<string, Log>();
  private readonly plans = new Map<string, string>();
  private lastChange = 0;

  constructor(private readonly clock: () => number = () => Date.now()) {
    this.memberships = new MemoryMembers(clock);
    this.permits = new MemoryPermits(this.memberships, clock);
  }

  async append(batch: readonly Append[]): Promise<Refused[]> {
    const refused: Refused[] = [];
    const broken = new Set<string>();
    for (const append of batch) {
      const { execution_id, expected } = append;
      const actual = this.logs.get(execution_id)?.seq ?? 0;
      if (actual === expected && !broken.has(execution_id)) this.insert(append);
      else {
        refused.push({ execution_id, actual });
        broken.add(execution_id);
      }
    }
    return refused;
  }

  private insert({ execution_id: id, events, row, plan, wakes, inputs }: Append): void {
    if (plan) this.plans.set(plan.hash, encodeJson(plan.plan));
    const log = this.logs.get(id) ?? newLog(row as ExecutionRow, inputs);
    this.logs.set(id, log);
    if (row) this.change(log, copyOf(row));
    for (const woken of wakes ?? []) {
      const other = this.logs.get(woken);
      if (other) other.woken = true;
    }
    if (events.length === 0) return;
    log.frames.push({ from: log.seq, length: events.length, events: encodeStored(events) });
    log.seq += events.length;
  }

  private change(log: Log, change: Partial<ExecutionRow>): void {
    log.row = { ...log.row, ...change };
    this.lastChange += 1;
    log.changed = this.lastChange;
  }

  async *read(executionId: string, from = 0): AsyncIterable<Frame> {
    for (const frame of this.logs.get(executionId)?.frames ?? []) {
      if (frame.from + frame.length <= from) continue;
      const events = decodeStored<Event[]>(frame.events);
      yield {
        from: frame.from,
        events: events.map(({ name, at, data, ...about }) => newEvent(name, at, about, data)),
      };
    }
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const text = this.plans.get(hash);
    return text === undefined ? undefined : readPlan(decodeJson(text));
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    const log = this.logs.get(id);
    return log && copyOf(log.row);
  }

  async executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    const rows = [...this.logs.values()].map((log) => log.row).reverse();
    const cursor = rows.findIndex((row) => row.execution_id === filter.before);
    const older = filter.before === undefined ? rows : cursor < 0 ? [] : rows.slice(cursor + 1);
    const wanted = older.filter((row) => isMeant(row, filter));
    return wanted.slice(0, filter.limit ?? wanted.length).map(copyOf);
  }

  async list({ order, before, limit = PAGE, ...filter }: ListQuery = {}): Promise<ListPage> {
    const logs = [...this.logs.values()];
    if (order !== 'oldest') logs.reverse();
    const cursor = logs.findIndex(({ row }) => row.execution_id === before);
    if (before !== undefined && cursor < 0) return { executions: [] };
    const found = logs.slice(cursor + 1).filter((log) => matches(log, filter));
    const executions = found.slice(0, limit).map(({ row }) => copyOf(row));
    return { executions, ...(found.length > limit ? { next: executions.at(-1)!.execution_id } : {}) };
  }

  async indexLists(): Promise<boolean> {
    return false;
  }

  async counts(): Promise<StatusCounts> {
    const counts = { ...NO_COUNTS };
    for (const { row } of this.logs.values()) if (!row.parent) counts[row.status] += 1;
    return counts;
  }

  async changes(cursor: string | undefined, most: number): Promise<Changes> {
    const nothing = { rows: [], cursor: String(this.lastChange), isTooMany: false };
    if (cursor === undefined) return nothing;
    const changed = [...this.logs.values()].filter((log) => log.changed > Number(cursor));
    if (changed.length > most) return { ...nothing, isTooMany: true };
    return { ...nothing, rows: changed.sort((a, b) => a.changed - b.changed).map(({ row }) => copyOf(row)) };
  }

  async saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void> {
    const log = this.logs.get(executionId);
    if (log) log.snapshot = snapshot;
  }

  async snapshot(executionId: string): Promise<Snapshot | undefined> {
    return this.logs.get(executionId)?.snapshot;
  }

  async now(): Promise<number> {
    return this.clock();
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
    const now = this.clock();
    const due = [...this.logs.values()].filter((log) => this.isDue(log, driver, now)).slice(0, limit);
    for (const log of due) {
      const reached = log.row.due_at != null && log.row.due_at <= now;
      this.change(log, { driver, ...(reached ? { due_at: null } : {}) });
      log.woken = false;
    }
    return due.map((log) => log.row.execution_id);
  }

  async claim(executionId: string, from: string | null, driver: string): Promise<boolean> {
    const log = this.logs.get(executionId);
    if (log === undefined || (log.row.driver ?? null) !== from) return false;
    this.change(log, { driver });
    this.giveCalled(executionId, driver);
    return true;
  }

  private giveCalled(executionId: string, driver: string): void {
    for (const log of this.logs.values()) {
      if (log.row.parent !== executionId) continue;
      if (OPEN.has(log.row.status)) this.change(log, { driver });
      this.giveCalled(log.row.execution_id, driver);
    }
  }

  private isDue({ row, woken }: Log, driver: string, now: number): boolean {
    if (row.status !== 'running') return false;
    if (row.driver == null) return true;
    const isLost = this.memberships.aliveSince(row.driver) === undefined;
    if (isLost && !isLocalDriver(row.driver)) return true;
    return row.driver === driver && (woken || (row.due_at != null && row.due_at <= now));
  }

  async tell(memberId: string, message: JsonObject): Promise<void> {
    this.listeners.tell(memberId, messageText(message));
  }

  async listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>> {
    return this.listeners.add(memberId, hear);
  }

  async close(): Promise<void> {}
}

function newLog(row: ExecutionRow, inputs: Inputs | undefined): Log {
  return { row, inputs, changed: 0, seq: 0, woken: false, frames: [] };
}

function copyOf<T>(value: T): T {
  return decodeJson(encodeJson(value)) as T;
}

function isMeant(row: ExecutionRow, filter: ExecutionFilter): boolean {
  if (filter.status !== undefined && ![filter.status].flat().includes(row.status)) return false;
  if (filter.roots && row.parent) return false;
  if (filter.wanting && row.wants == null) return false;
  return (['kind', 'name', 'path', 'parent', 'driver'] as const).every(
    (key) => filter[key] === undefined || filter[key] === row[key],
  );
}
