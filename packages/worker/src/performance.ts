/** What performing one task takes: the task, its job, and what the worker has. */
import type { Assignment, JobPort, JsonObject, Locals, Pipeline, Site, Task, World } from '@woof/net';
import type { Blobs, Tool } from '@woof/tools';
import type { CellRunner } from './cells/cell-runner.ts';
import type { Keychain } from './keychain/keychain.ts';
import type { Keychains } from './keychain/keychains.ts';
import type { TaskLimits } from './limits.ts';
import type { LogSink } from './log-sink.ts';
import type { JobStores } from './result-store/job-stores.ts';
import type { ResultStores } from './result-store/result-stores.ts';

export interface PerformOptions {
  tools: ReadonlyMap<string, Tool>;
  blobs: Blobs;
  logs: LogSink;
  sandbox: boolean;
  /** Folders that no task may see: the data directory. */
  hidden: string[];
  limits: TaskLimits;
  /** The slot of a task is free while this runs. */
  aside?<T>(waiting: () => Promise<T>): Promise<T>;
  /** Absent: this worker runs no notebooks. */
  cells?: CellRunner;
  /** Absent: this worker has no secrets. */
  keychains?: Keychains;
  /** Absent: results go to the data directory or the server, whatever documents say. */
  resultStores?: ResultStores;
  /** The largest stored value that a template or a task may read; absent: VALUE_BYTES. */
  valueBytes?: number;
}

/** What a task needs of the job that it belongs to. */
export interface JobOfTask {
  signal(): AbortSignal;
  onStop(stop: (reason: unknown) => void): () => void;
  /** The secrets of the execution, where it uses some. Only the fields of tools ever see them. */
  unlock(): Promise<Keychain | undefined>;
}

export interface Performance {
  task: Task;
  taskRunId: string;
  site: Site;
  locals: Locals;
  assignment: Assignment;
  /** As this job sees it: with what it wrote itself. */
  world: World;
  pipeline: Pipeline;
  port: JobPort;
  job: JobOfTask;
  options: PerformOptions;
  /** Where the plan names stores of its own for results. */
  stores?: JobStores;
  /** How many named tasks deep. */
  depth?: number;
  /** What the call of a named task gives its tool over the tool's own `args`: values, never read as templates. */
  given?: JsonObject | undefined;
}
