/**
 * The contract of a tool: one adapter that performs one task and returns one outcome.
 *
 * Owns: the shapes that pass between the worker and a tool. Does not own: templates (inputs arrive rendered),
 * retries (policies decide), the log (the worker reports).
 *
 * Invariants: `run` never throws for the world's faults, it returns an error outcome; it stops soon after
 * `context.signal` aborts, with everything it started; large results go to `context.blobs`.
 */
import type { Json, JsonObject, Outcome, Reference, ToolSchema } from '@woof/net';

export interface Tool {
  readonly schema: ToolSchema;
  run(call: ToolCall, context: ToolContext): Promise<Outcome | Parked>;
  /** Ends what the tool keeps warm. */
  close?(): Promise<void>;
}

export interface ToolCall {
  /** The task's own fields, rendered. */
  input: JsonObject;
  /** The effective spec, rendered. */
  spec: JsonObject;
  /** `execution/step_run/iteration/task/attempt`: pass it on where the target takes one. */
  idempotencyKey: string;
  /** The same for all tries of one visit of the task; another where the pipeline comes back to it, and in another job. */
  visitKey: string;
  executionId: string;
  /** The step that the task belongs to. */
  step: string;
  /** Grows with every lease of the job: no two executions of it have the same. */
  fence: number;
  attempt: number;
  /** Earlier leases of this task that ended with their worker. */
  lost: number;
  /** The args of the step run, for the code of a task; of large ones, only those that it wants. */
  stepArgs?(wants?: (name: string) => boolean): JsonObject | Promise<JsonObject>;
  /** Everything that a template of the task can read by name, but secrets, for code written for the first NoETL. */
  context?(): JsonObject | Promise<JsonObject>;
  /** What the steps right before this one gave, by name; only for `exec`. */
  upstream?: JsonObject;
  /** The folder of the document: relative paths start here, and nothing above it is ever visible. */
  workdir: string;
  /** What the tool said when it parked, on the run after it was woken. */
  resumed?: Json;
}

export interface ToolContext {
  /** Aborts on time-out, cancellation and loss of the lease. */
  signal: AbortSignal;
  /** The same as a call, for tasks so short that a signal costs as much as they do. Gives back what ends it. */
  onStop?(stop: (reason: unknown) => void): () => void;
  blobs: Blobs;
  now(): number;
  log(stream: 'stdout' | 'stderr', text: string): void;
  /** Runs what only waits for other machines: meanwhile the task's slot is free for others. */
  aside?<T>(waiting: () => Promise<T>): Promise<T>;
  /** What the person at the terminal granted beyond the document's own io_policy. */
  granted: IoPolicy;
  /** False: no isolation by the operating system (`--no-sandbox`). */
  sandbox: boolean;
  /** Paths that given code must never see beside `.woof` of its folder: the data directory, wherever it is. */
  hidden?: string[];
}

export interface IoPolicy {
  allow_files: boolean;
  allow_network: boolean;
  allow_shell: boolean;
}

/** The large values of a data directory. */
export interface Blobs {
  put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference>;
  get(reference: Reference): AsyncIterable<Uint8Array>;
}

/**
 * The task gives its slot back and is run again, with `memo` as `resumed`, at `until` or when the child ends. Where it
 * waits for a person, `resumed` is `{memo, answer: {approved, by?, note?, override?, at}}` once that one has answered.
 */
export interface Parked {
  status: 'parked';
  until?: number;
  child?: string;
  /** Why a person is needed: `{reason, …}`. */
  human?: { reason: string } & JsonObject;
  memo: Json;
}
