/** Everything needed to perform one task: the task, its job, and the means of the worker. */
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
  /** Folders that no task may see, such as the data directory. */
  hidden: string[];
  limits: TaskLimits;
  /** Frees the slot of the task while `waiting` runs. */
  aside?<T>(waiting: () => Promise<T>): Promise<T>;
  /** Absent: this worker does not run notebooks. */
  cells?: CellRunner;
  /** Absent: this worker has no secrets. */
  keychains?: Keychains;
  /** Absent: results go to the data directory or the server, whatever the documents say. */
  resultStores?: ResultStores;
  /** The largest stored value that a template or a task may read; absent: VALUE_BYTES. */
  valueBytes?: number;
}

/** What a task needs from the job that it belongs to. */
export interface JobOfTask {
  signal(): AbortSignal;
  onStop(stop: (reason: unknown) => void): () => void;
  /** The secrets of the execution, if it uses any. Only the fields of tools ever see them. */
  unlock(): Promise<Keychain | undefined>;
}

export interface Performance {
  task: Task;
  taskRunId: string;
  site: Site;
  locals: Locals;
  assignment: Assignment;
  /** The world as this job sees it, including its own writes. */
  world: World;
  pipeline: Pipeline;
  port: JobPort;
  job: JobOfTask;
  options: PerformOptions;
  /** Set if the plan names its own stores for results. */
  stores?: JobStores;
  /** How deeply named tasks are nested here. */
  depth?: number;
  /**
   * What the call of a named task passes to its tool on top of the tool's own `args`: values, never read as templates.
   */
  given?: JsonObject | undefined;
}
