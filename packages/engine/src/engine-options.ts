/** The options of an engine, and the requests that it accepts. */
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
  /** How large executions may become; absent limits have their defaults. */
  limits?: Partial<EngineLimits>;
  /** The largest value that stays in the log, in bytes of JSON. Absent: 64 KiB. */
  inlineMaxBytes?: number;
  /** The name of this server, if several share the store. */
  driver?: string;
  /** The name of this process in rows, if it drives its executions alone. */
  owner?: string;
  /** Whether the local process that drives a run is alive. Absent: none is. */
  isDriving?: (driver: string) => boolean;
  /** Finds and compiles the document of a nested playbook. */
  resolve?: (path: string, from: Record<string, string>) => Promise<Resolved | { message: string }>;
  /** Called with events once they are durable. `from`: how many precede them. */
  onEvents?: (executionId: string, events: readonly Event[], state: State, from: number) => void;
  /** Called for an execution that belonged to another server. */
  onTaken?: (executionId: string, from: string, seq: number) => void;
  /** Called when there is work that no worker here took. */
  onLeftOver?: () => void;
  /** Called for every commit. */
  onCommit?: (figures: CommitFigures) => void;
  /** Called when the engine can decide nothing more. */
  onFailed?: (error: unknown) => void;
  /** Called for faults that nobody waits for. */
  onFault?: (executionId: string, error: unknown) => void;
}

export interface Resolved {
  plan: Plan;
  source: Record<string, string>;
  /** The text of the document, to be stored with the run. */
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
