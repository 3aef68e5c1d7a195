/** What an engine is given, and what it is asked. */
import type { Assignment, Command, Event, JobReport, JsonObject, Plan, State } from '@woof/net';
import type { BlobStore, Store } from '@woof/stores';
import type { EngineLimits } from './bounds.ts';
import type { Executor } from './executor.ts';
import type { CommitFigures } from './group-commit.ts';

export interface EngineOptions {
  store: Store;
  blobs: BlobStore;
  executor: Executor;
  now?: () => number;
  /** How large executions may become; what is absent is as by default. */
  limits?: Partial<EngineLimits>;
  /** The longest value that stays in the log, as JSON text in bytes; absent: 64 KiB. */
  inlineMaxBytes?: number;
  /** The name of this server, where several share the store. */
  driver?: string;
  /** What rows call this process, where it drives its executions alone. */
  owner?: string;
  /** Whether a local process is there, whose run this server is asked about; absent: none is. */
  isDriving?: (driver: string) => boolean;
  /** Finds and compiles the document of a nested playbook. */
  resolve?: (path: string, from: Record<string, string>) => Promise<Resolved | { message: string }>;
  /** Told of events once they are durable. `from`: how many come before them. */
  onEvents?: (executionId: string, events: readonly Event[], state: State, from: number) => void;
  /** Told of an execution that was another server's. */
  onTaken?: (executionId: string, from: string, seq: number) => void;
  /** Told when there is work that no worker here took. */
  onLeftOver?: () => void;
  /** Told of every commit. */
  onCommit?: (figures: CommitFigures) => void;
  /** Told when the engine can decide nothing more. */
  onFailed?: (error: unknown) => void;
  /** Told of faults that nobody waits for. */
  onFault?: (executionId: string, error: unknown) => void;
}

export interface Resolved {
  plan: Plan;
  source: Record<string, string>;
  /** Of the document, to be kept with the run. */
  text?: string;
}

export interface StartRequest extends Resolved {
  workload: JsonObject;
  granted?: JsonObject;
  executionId?: string;
  more?: Pick<Extract<Command, { type: 'StartExecution' }>, 'parent' | 'iter' | 'adopt' | 'priority'>;
}

/** A job as a worker names it. */
export type HeldJob = Pick<Assignment, 'execution_id' | 'job_id' | 'fence'>;

export type Reported = HeldJob & { reports: JobReport[] };
