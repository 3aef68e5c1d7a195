/**
 * The contract of a store: the log of every execution, what saves time beside it (rows to list, snapshots), and what
 * several servers share: who is alive, which executions are due, small records, permits.
 *
 * Invariants: `append` resolves when what it accepted is durable; `seq` is contiguous per execution, and a frame that
 * expects another one is refused as a whole; frames come back exactly as they went in, in order. Who is alive and what
 * is due is judged by the store's clock alone.
 */
import type { Event, ExecutionStatus, JsonObject, Plan } from '@woof/net';
import type { Inputs } from './lists/inputs.ts';
import type { ListPage, ListQuery } from './lists/list-filter.ts';
import type { ListBounds } from './lists/list-page.ts';

export interface Store {
  /**
   * Returns the frames that it refused because their execution has another length; all others are durable. Frames that
   * follow a refused frame of the same execution in the batch are refused with it, because they were decided on top of
   * it.
   * `othersRun`: the caller has something else to do meanwhile, so it is worth handing over to a thread that waits.
   */
  append(batch: readonly Append[], othersRun?: boolean): Promise<Refused[]>;
  /** The frames, starting with the one that contains `from` (0-based event number). */
  read(executionId: string, from?: number): AsyncIterable<Frame>;
  plan(hash: string): Promise<Plan | undefined>;
  execution(executionId: string): Promise<ExecutionRow | undefined>;
  /** All that match, newest first, in one answer. */
  executions(filter?: ExecutionFilter): Promise<ExecutionRow[]>;
  /** A page for people, after a bounded search. `bounds`: other limits than the defaults, for tests. */
  list(query?: ListQuery, bounds?: Partial<ListBounds>): Promise<ListPage>;
  saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void>;
  snapshot(executionId: string): Promise<Snapshot | undefined>;
  /**
   * Makes `driver` the driver of an execution and of the unended runs that it called, if its driver is currently
   * `from`. False: it is not. If several claim from the same driver, one succeeds.
   */
  claim(executionId: string, from: string | null, driver: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What readers need from a store, wherever it is. */
export type ReadStore = Pick<
  Store,
  'read' | 'plan' | 'execution' | 'executions' | 'list' | 'snapshot' | 'close'
>;

/** What a store adds if several processes work on it. */
export interface SharedStore extends Store {
  /** ms since the epoch, by the clock that judges who is alive. */
  now(): Promise<number>;

  /** Says that a member is alive, for `ttlMs` from now; adds it if it is not a member yet. */
  beat(member: Member, ttlMs: number): Promise<void>;
  leave(memberId: string): Promise<void>;
  /** Members that are alive, and those that stopped within the last day. */
  members(kind?: Member['kind']): Promise<MemberRow[]>;

  /**
   * Running executions that need a driver: those whose driver is not a live member (including `null`), unless it is a
   * local process (`isLocalDriver`), and those of `driver` whose `due_at` has passed or that an append woke. They
   * become `driver`'s, and a `due_at` that has passed becomes null. Oldest first, at most `limit`, never the same to
   * two callers.
   */
  takeDue(driver: string, limit: number): Promise<string[]>;

  /** Sends a message to another process, which may miss it. At most `LARGEST_MESSAGE` bytes of JSON. */
  tell(memberId: string, message: JsonObject): Promise<void>;
  listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>>;

  /** How many executions that no other execution started have each status. */
  counts(): Promise<StatusCounts>;
  /**
   * Updates the index that makes lists fast, a bounded part of it, if at least `atLeast` rows changed. True: there is
   * more. Without it, lists are correct but slower.
   */
  indexLists(atLeast?: number): Promise<boolean>;
  /** The rows that changed since `cursor`, as they are now, and where to continue. Without a cursor, no rows. */
  changes(cursor: string | undefined, most: number): Promise<Changes>;

  /**
   * Removes executions that ended more than `days` days ago, with their logs, a bounded part per call. True: there is
   * more. Executions that a kept one needs stay. Absent: the store keeps everything.
   */
  forgetExecutions?(days: number): Promise<boolean>;

  records: Records;
  permits: Permits;
}

export type StatusCounts = Record<ExecutionStatus, number>;

export const NO_COUNTS: Readonly<StatusCounts> = {
  running: 0,
  paused: 0,
  needs_human: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
};

export interface Changes {
  rows: ExecutionRow[];
  /** Where to continue. A row may be returned again. */
  cursor: string;
  /** More rows changed than were asked for; `rows` is empty, and `cursor` is after all of them. */
  isTooMany: boolean;
}

/**
 * The prefix of a process that drives its own runs without being a member: the operating system tells whether it is
 * alive. What it leaves waits for a person, in whose terminal it ran.
 */
export const LOCAL_DRIVER = 'local-';

export function isLocalDriver(driver: string | null | undefined): driver is string {
  return driver?.startsWith(LOCAL_DRIVER) ?? false;
}

/** A Postgres notification holds 8,000 bytes. */
export const LARGEST_MESSAGE = 7_000;

/** One durable step of one execution. */
export interface Append {
  execution_id: string;
  /** How many events the log has before this append. */
  expected: number;
  events: readonly Event[];
  /** What changes in the execution's row; the first append contains the whole row. */
  row?: Partial<ExecutionRow>;
  /** With the first append: values of the workload by which lists find the execution. */
  inputs?: Inputs;
  /** Stored once, with the first append that names its hash. */
  plan?: { hash: string; plan: Plan };
  /** Executions that this append makes due at once: the caller of a playbook that ended. Unknown ones are ignored. */
  wakes?: string[];
}

export interface Refused {
  execution_id: string;
  /** How many events the log has. */
  actual: number;
}

export interface Frame {
  /** Number of events before the first of this frame. */
  from: number;
  events: readonly Event[];
}

export interface ExecutionRow {
  execution_id: string;
  name: string;
  kind: string;
  status: ExecutionStatus;
  started_at: number;
  plan_hash: string;
  /** The document's file, if there is one. */
  file?: string;
  /** The document's path in the catalogue, if there is one. */
  path?: string;
  ended_at?: number;
  parent?: string;
  /** The execution whose steps it reuses. */
  rerun_of?: string;
  error?: string;
  /** A step waits for a person, whatever the other steps do. */
  asks?: boolean | null;
  /** The server or local process that drives it. */
  driver?: string | null;
  /** When a driver must check it again, if nothing else would make it do so. */
  due_at?: number | null;
  /** `labels` and `kinds` of a worker that it waits for and its driver does not have; alternatives are in `or`. */
  wants?: JsonObject | null;
}

export interface ExecutionFilter {
  status?: ExecutionStatus | readonly ExecutionStatus[];
  kind?: string;
  name?: string;
  path?: string;
  parent?: string;
  driver?: string;
  limit?: number;
  /** Only executions that no other execution started. */
  roots?: boolean;
  /** Only executions started before this one: the cursor of a page. */
  before?: string;
  /** Only executions that wait for a worker that their driver does not have. */
  wanting?: boolean;
}

export interface Snapshot {
  /** Number of events folded into it. */
  seq: number;
  /** JSON text. */
  state: string;
}

export interface Member {
  id: string;
  kind: 'server' | 'worker';
  /** What others should know: address, labels, slots, version. */
  info: JsonObject;
}

export interface MemberRow extends Member {
  alive: boolean;
  /** Since when it has been alive without a gap. */
  since: number;
  seen_at: number;
  /** It is gone after this time, unless it is heard from before. */
  until: number;
}

/** Small things with a name: documents, schedules, secrets, tokens. */
export interface Records {
  get(collection: string, key: string): Promise<Stored | undefined>;
  /** Sorted by key. */
  list(collection: string, page?: { prefix?: string; after?: string; limit?: number }): Promise<Stored[]>;
  /**
   * `expected`: the version that it must have now, 0 for none; absent: any. False: it has another version. Durable when
   * it resolves. Each put increments the version.
   */
  put(collection: string, key: string, value: JsonObject, expected?: number): Promise<boolean>;
  /** Adds new records in one commit. An existing key is left unchanged. Durable when it resolves. */
  add(collection: string, records: readonly NewRecord[]): Promise<void>;
  /** False: it did not exist, or has another version. */
  remove(collection: string, key: string, expected?: number): Promise<boolean>;
}

export interface NewRecord {
  key: string;
  value: JsonObject;
}

export interface Stored {
  key: string;
  version: number;
  value: JsonObject;
}

/**
 * Who may work under a key, across all servers. A permit ends with `exit`, or with the member that holds it, even if
 * the member comes back later. A member that is not alive cannot enter.
 */
export interface Permits {
  /** 0: entered. Otherwise, after how many ms to ask again. Asking twice with the same holder counts once. */
  enter(permit: Permit): Promise<number>;
  exit(key: string, holder: string): Promise<void>;
  held(): Promise<Held[]>;
}

export interface Permit {
  key: string;
  /** The task run that enters. */
  holder: string;
  member: string;
  /** How many may be inside at once; null: any number. */
  concurrency: number | null;
  /** How many may enter per second, evenly spaced; null: any number. */
  perSecond: number | null;
}

export interface Held {
  key: string;
  holder: string;
  member: string;
  since: number;
}

/** Called before the schema of a store with many executions is updated, which takes seconds per million. */
export type OnLongUpdate = (executions: number) => void;
export const LONG_UPDATE = 50_000;

export type StoreFault = 'disk_full' | 'busy' | 'newer_schema' | 'unreadable' | 'unavailable';

export class StoreError extends Error {
  constructor(
    readonly fault: StoreFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
