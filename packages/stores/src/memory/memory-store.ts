/**
 * A store in memory: for tests and simulations, which give it their clock. Values cross as JSON text, as they do in every
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
} from '@woof/net';
import { Listeners, messageText } from '../listeners.ts';
import {
  type Append,
  type ExecutionFilter,
  type ExecutionRow,
  type Frame,
  isLocalDriver,
  type Member,
  type MemberRow,
  type Refused,
  type SharedStore,
  type Snapshot,
} from '../store.ts';
import { MemoryMembers } from './memory-members.ts';
import { MemoryPermits } from './memory-permits.ts';
import { MemoryRecords } from './memory-records.ts';

const OPEN = new Set<string>(['running', 'paused', 'needs_human']);

interface Log {
  row: ExecutionRow;
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

  private insert({ execution_id: id, events, row, plan, wakes }: Append): void {
    if (plan) this.plans.set(plan.hash, encodeJson(plan.plan));
    const log = this.logs.get(id) ?? { row: row as ExecutionRow, seq: 0, woken: false, frames: [] };
    this.logs.set(id, log);
    log.row = copyOf({ ...log.row, ...row });
    for (const woken of wakes ?? []) {
      const other = this.logs.get(woken);
      if (other) other.woken = true;
    }
    if (events.length === 0) return;
    log.frames.push({ from: log.seq, length: events.length, events: encodeStored(events) });
    log.seq += events.length;
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
    return text === undefined ? undefined : (decodeJson(text) as Plan);
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    const log = this.logs.get(id);
    return log && copyOf(log.row);
  }

  async executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    const rows = [...this.logs.values()].map((log) => log.row).reverse();
    const cursor = rows.findIndex((row) => row.execution_id === filter.before);
    const older = filter.before === undefined ? rows : cursor < 0 ? [] : rows.slice(cursor + 1);
    const wanted = older.filter((row) => matches(row, filter));
    return wanted.slice(0, filter.limit ?? wanted.length).map(copyOf);
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
      log.row = { ...log.row, driver, ...(reached ? { due_at: null } : {}) };
      log.woken = false;
    }
    return due.map((log) => log.row.execution_id);
  }

  async claim(executionId: string, from: string | null, driver: string): Promise<boolean> {
    const log = this.logs.get(executionId);
    if (log === undefined || (log.row.driver ?? null) !== from) return false;
    log.row = { ...log.row, driver };
    this.giveCalled(executionId, driver);
    return true;
  }

  private giveCalled(executionId: string, driver: string): void {
    for (const log of this.logs.values()) {
      if (log.row.parent !== executionId) continue;
      if (OPEN.has(log.row.status)) log.row = { ...log.row, driver };
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

function copyOf<T>(value: T): T {
  return decodeJson(encodeJson(value)) as T;
}

function matches(row: ExecutionRow, filter: ExecutionFilter): boolean {
  if (filter.status !== undefined && ![filter.status].flat().includes(row.status)) return false;
  if (filter.roots && row.parent) return false;
  if (filter.wanting && row.wants == null) return false;
  return (['kind', 'name', 'path', 'parent', 'driver'] as const).every(
    (key) => filter[key] === undefined || filter[key] === row[key],
  );
}
