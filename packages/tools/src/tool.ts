/**
 * The contract of a tool: one adapter that performs one task and returns one outcome.
 *
 * Owns: the types that pass between the worker and a tool. Does not own: templates (inputs arrive rendered), retries
 * (policies decide), the log (the worker reports).
 *
 * Invariants: `run` never throws because of external failures; it returns an error outcome. Soon after `context.signal`
 * aborts, it stops, with everything that it started. Large results go to `context.blobs`.
 */
import type { Json, JsonObject, Outcome, Reference, ToolSchema } from '@woof/net';

export interface Tool {
  readonly schema: ToolSchema;
  run(call: ToolCall, context: ToolContext): Promise<Outcome | Parked>;
  /** Ends whatever the tool keeps warm. */
  close?(): Promise<void>;
}

export interface ToolCall {
  /** The task's own fields, rendered. */
  input: JsonObject;
  /** The effective spec, rendered. */
  spec: JsonObject;
  /** `execution/step_run/iteration/task/attempt`: pass it on if the target accepts one. */
  idempotencyKey: string;
  /** The same for all tries of one visit to the task. It differs when the pipeline returns to it, and per job. */
  visitKey: string;
  executionId: string;
  /** The step that the task belongs to. */
  step: string;
  /** Grows with every lease of the job, so no two executions of it have the same. */
  fence: number;
  attempt: number;
  /** Earlier leases of this task that ended with their worker. */
  lost: number;
  /** The args of the step run, for the code of a task. Large ones are loaded only if the code wants them. */
  stepArgs?(wants?: (name: string) => boolean): JsonObject | Promise<JsonObject>;
  /** Everything that a template of the task can read by name, except secrets, for code written for the first NoETL. */
  context?(): JsonObject | Promise<JsonObject>;
  /** The results of the steps right before this one, by name; only for `exec`. */
  upstream?: JsonObject;
  /** The document's folder: relative paths start here, and nothing above it is ever visible. */
  workdir: string;
  /** The memo with which the tool parked, when it runs again. */
  resumed?: Json;
}

export interface ToolContext {
  /** Aborts on timeout, cancellation and loss of the lease. */
  signal: AbortSignal;
  /** The same as a callback, for tasks so short that a signal costs as much as they do. Returns an unsubscriber. */
  onStop?(stop: (reason: unknown) => void): () => void;
  blobs: Blobs;
  now(): number;
  log(stream: 'stdout' | 'stderr', text: string): void;
  /** Runs work that only waits for other machines. Meanwhile the task's slot is free for others. */
  aside?<T>(waiting: () => Promise<T>): Promise<T>;
  /** What the user at the terminal granted beyond the document's own io_policy. */
  granted: IoPolicy;
  /** False: no isolation by the operating system (`--no-sandbox`). */
  sandbox: boolean;
  /** Further paths that given code must never see, besides its folder's `.woof`: the data directory, wherever it is. */
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
 * The task gives its slot back and runs again, with `memo` as `resumed`, at `until` or when the child ends. If it waits
 * for a person, `resumed` is `{memo, answer: {approved, by?, note?, override?, at}}` once they have answered.
 */
export interface Parked {
  status: 'parked';
  until?: number;
  child?: string;
  /** Why a person is needed: `{reason, …}`. */
  human?: { reason: string } & JsonObject;
  memo: Json;
}
