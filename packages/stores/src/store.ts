/**
 * The contract of a store: the log of every execution, and what saves time beside it (rows to list, snapshots).
 *
 * Invariants: `append` resolves when the batch is durable, all of it or nothing; `seq` is contiguous an execution and
 * an append that expects another one is refused; frames come back exactly as they went in, in order.
 */
import type { Event, ExecutionStatus, Plan } from '@woof/net';

export interface Store {
  append(batch: readonly Append[]): Promise<void>;
  /** The frames from the one that holds `from` (0-based event number) on. */
  read(executionId: string, from?: number): AsyncIterable<Frame>;
  plan(hash: string): Promise<Plan | undefined>;
  execution(executionId: string): Promise<ExecutionRow | undefined>;
  /** Newest first. */
  executions(filter?: ExecutionFilter): Promise<ExecutionRow[]>;
  saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void>;
  snapshot(executionId: string): Promise<Snapshot | undefined>;
  close(): Promise<void>;
}

/** One durable step of one execution. */
export interface Append {
  execution_id: string;
  /** How many events the log has before this one. */
  expected: number;
  events: readonly Event[];
  /** What changes in the execution's row; the first append has it whole. */
  row?: Partial<ExecutionRow>;
  /** Stored once, with the first append that names its hash. */
  plan?: { hash: string; plan: Plan };
}

export interface Frame {
  /** Number of events before the first of this frame. */
  from: number;
  events: Event[];
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
  ended_at?: number;
  parent?: string;
  error?: string;
}

export interface ExecutionFilter {
  status?: ExecutionStatus;
  limit?: number;
  /** Only those that no other execution started. */
  roots?: boolean;
}

export interface Snapshot {
  /** Number of events folded into it. */
  seq: number;
  /** JSON text. */
  state: string;
}

export type StoreFault = 'seq_conflict' | 'disk_full' | 'busy' | 'newer_schema' | 'unreadable';

export class StoreError extends Error {
  constructor(
    readonly fault: StoreFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function seqConflict(append: Append, actual: number): StoreError {
  const message = `execution ${append.execution_id} has ${actual} events; an append expected ${append.expected}`;
  return new StoreError('seq_conflict', message);
}
