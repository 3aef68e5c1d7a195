/**
 * The contract of a store: the log of every execution, what saves time beside it (rows to list, snapshots), and what
 * several servers share: who is alive, which executions are due, small records, permits.
 *
 * Invariants: `append` resolves when what it took is durable; `seq` is contiguous an execution and a frame that expects
 * another one is refused, whole; frames come back exactly as they went in, in order. Who is alive and what is due is
 * judged by the store's clock alone.
 */
import type { Event, ExecutionStatus, JsonObject, Plan } from '@woof/net';
import type { Inputs } from './lists/inputs.ts';
import type { ListPage, ListQuery } from './lists/list-filter.ts';
import type { ListBounds } from './lists/list-page.ts';

export interface Store {
  /**
   * Gives the frames that it refused, because their execution has another length; all others are durable. What follows
   * a refused frame of its execution in the batch is refused with it: it was decided on top of it.
   * `othersRun`: the caller has something to do meanwhile, so that it is worth the hand-over to let another thread wait.
   */
  append(batch: readonly Append[], othersRun?: boolean): Promise<Refused[]>;
  /** The frames from the one that holds `from` (0-based event number) on. */
  read(executionId: string, from?: number): AsyncIterable<Frame>;
  plan(hash: string): Promise<Plan | undefined>;
  execution(executionId: string): Promise<ExecutionRow | undefined>;
  /** Newest first; all that match, at once. */
  executions(filter?: ExecutionFilter): Promise<ExecutionRow[]>;
  /** A page for people, after a bounded search. `bounds`: other ones than by default, for tests. */
  list(query?: ListQuery, bounds?: Partial<ListBounds>): Promise<ListPage>;
  saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void>;
  snapshot(executionId: string): Promise<Snapshot | undefined>;
  /**
   * Makes `driver` the driver of an execution and of what it called and has not ended, if its driver is `from` now.
   * False: it is not.
   * Of several who claim from the same one, one succeeds.
   */
  claim(executionId: string, from: string | null, driver: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What readers need of a store, wherever it is. */
export type ReadStore = Pick<
  Store,
  'read' | 'plan' | 'execution' | 'executions' | 'list' | 'snapshot' | 'close'
>;

/** What a store adds where several processes work on it. */
export interface SharedStore extends Store {
  /** ms since the epoch, by the clock that judges who is alive. */
  now(): Promise<number>;

  /** Says that a member is there, for `ttlMs` from now; makes it one where it was none. */
  beat(member: Member, ttlMs: number): Promise<void>;
  leave(memberId: string): Promise<void>;
  /** Those who are alive, and those who stopped within the last day. */
  members(kind?: Member['kind']): Promise<MemberRow[]>;

  /**
   * Running executions that need a driver: those whose driver is no living member (`null` too), unless that is a local
   * process (`isLocalDriver`), and those of `driver` whose `due_at` is reached or that an append woke. They become `driver`'s, and a `due_at` that is reached becomes
   * null. Oldest first, at most `limit`, never the same to two callers.
   */
  takeDue(driver: string, limit: number): Promise<string[]>;

  /** Says something to another process, which may miss it. At most `LARGEST_MESSAGE` bytes of JSON. */
  tell(memberId: string, message: JsonObject): Promise<void>;
  listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>>;

  /** How many executions that no other started have each status. */
  counts(): Promise<StatusCounts>;
  /**
   * Brings what makes lists fast up to date, a bounded part of it, if at least so many rows changed. True: there is more.
   * Lists are right without it, and slower.
   */
  indexLists(atLeast?: number): Promise<boolean>;
  /** The rows that changed since `cursor`, as they are now; without one none, and where to go on. */
  changes(cursor: string | undefined, most: number): Promise<Changes>;

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
  /** Where to go on. A row may come again that came before. */
  cursor: string;
  /** More rows changed than were asked for; `rows` is empty, and `cursor` behind all of them. */
  isTooMany: boolean;
}

/**
 * A process that drives runs of its own, without being a member: the operating system tells whether it is there. What it
 * leaves waits for a person, whose terminal it ran in.
 */
export const LOCAL_DRIVER = 'local-';

export function isLocalDriver(driver: string | null | undefined): driver is string {
  return driver?.startsWith(LOCAL_DRIVER) ?? false;
}

/** A notification of Postgres holds 8,000 bytes. */
export const LARGEST_MESSAGE = 7_000;

/** One durable step of one execution. */
export interface Append {
  execution_id: string;
  /** How many events the log has before this one. */
  expected: number;
  events: readonly Event[];
  /** What changes in the execution's row; the first append has it whole. */
  row?: Partial<ExecutionRow>;
  /** With the first append: values of the workload by which lists find the execution. */
  inputs?: Inputs;
  /** Stored once, with the first append that names its hash. */
  plan?: { hash: string; plan: Plan };
  /** Executions that this one makes due at once: the caller of a playbook that ended. Unknown ones are ignored. */
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
  /** The document's file, where there is one. */
  file?: string;
  /** The document's path in the catalogue, where there is one. */
  path?: string;
  ended_at?: number;
  parent?: string;
  /** The execution whose steps it reuses. */
  rerun_of?: string;
  error?: string;
  /** A step waits for a person, whatever the others do. */
  asks?: boolean | null;
  /** The server or local process that drives it. */
  driver?: string | null;
  /** When a driver must look at it again, where nothing else would make it. */
  due_at?: number | null;
  /** `labels` and `kinds` of a worker that it waits for and its driver does not have; others that would do stand in `or`. */
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
  /** Only those that no other execution started. */
  roots?: boolean;
  /** Only those started before this one: the cursor of a page. */
  before?: string;
  /** Only those that wait for a worker that their driver does not have. */
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
  /** Since when it has been there without a gap. */
  since: number;
  seen_at: number;
  /** It is gone then, unless it is heard of before. */
  until: number;
}

/** Small things with a name: documents, schedules, secrets, tokens. */
export interface Records {
  get(collection: string, key: string): Promise<Stored | undefined>;
  /** By key. */
  list(collection: string, page?: { prefix?: string; after?: string; limit?: number }): Promise<Stored[]>;
  /**
   * `expected`: the version that it must have now, 0 for none; absent: whatever it has. False: it has another.
   * Durable when it resolves. Each put counts the version up.
   */
  put(collection: string, key: string, value: JsonObject, expected?: number): Promise<boolean>;
  /** New records in one commit. A key that is there already stays as it is. Durable when it resolves. */
  add(collection: string, records: readonly NewRecord[]): Promise<void>;
  /** False: it was not there, or has another version. */
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
 * Who may work under a key, over all servers. A permit ends with `exit`, or with the member that holds it; that stays so
 * when the member comes back later. A member that is not alive enters nothing.
 */
export interface Permits {
  /** 0: entered. Else how many ms later to ask again. Asking twice under the same holder is asking once. */
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
  /** How many may enter a second, evenly spaced; null: any number. */
  perSecond: number | null;
}

export interface Held {
  key: string;
  holder: string;
  member: string;
  since: number;
}

/** Told before the schema of a store with so many executions is updated, which takes seconds per million. */
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
