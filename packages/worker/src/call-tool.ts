/**
 * One call of one tool: its place under a limit, its timeout, and what it may see while it runs.
 *
 * Tens of thousands of short tasks per second pass through here, so each receives an instance of a class: a literal
 * with an accessor and spreads costs ten times as much. The fields that hold the worker are `#private`, so that no tool
 * can show or pass on what does not belong to it.
 */
import { failure, type Json, type JsonObject, type Outcome, plainNumber, visitId } from '@woof/net';
import {
  type Blobs,
  Deadline,
  type IoPolicy,
  isTimeout,
  type Parked,
  type ToolCall,
  type ToolContext,
} from '@woof/tools';
import { argsGiven, contextGiven } from './given-to-code.ts';
import { limitOf } from './limits.ts';
import type { Performance } from './performance.ts';
import { WatchedBlobs } from './result-store/watched-blobs.ts';

export async function callTool(
  performance: Performance,
  input: JsonObject,
  spec: JsonObject,
  upstream?: JsonObject,
): Promise<Outcome | Parked> {
  const { task, assignment, port, options } = performance;
  const tool = options.tools.get(task.kind);
  if (tool === undefined) return failure('schema', `this worker has no tool kind "${task.kind}"`);
  const leave = spec.limit === undefined ? undefined : await enterLimit(performance, spec);
  if (typeof leave === 'object') return leave;
  // It may have waited a long time: the run may be paused or over by now.
  if (leave && !(await port.durable(assignment))) {
    leave();
    return failure('cancelled', 'the job is no longer needed');
  }
  // A tool that runs code waits for its turn first and measures its own time from there.
  const limit = tool.schema.runsCode ? undefined : deadlineOf(performance, spec.timeout);
  const blobs = new WatchedBlobs(options.blobs);
  try {
    const call = new TaskCall(performance, input, spec, upstream);
    const outcome = await tool.run(call, new TaskContext(performance, blobs, limit?.signal));
    if (limit?.passed && outcome.status !== 'ok') {
      return failure('timeout', `task "${task.label}" took longer than its timeout of ${spec.timeout} s`);
    }
    // A tool that only computes brings in nothing from outside.
    if (outcome.status === 'parked' || tool.schema.pure) return outcome;
    return blobs.asData(blobs.judged(outcome, task.kind), [input, performance.pipeline.memo]);
  } catch (error) {
    return failure('unknown', `the ${task.kind} tool failed unexpectedly: ${(error as Error).message}`);
  } finally {
    limit?.clear();
    leave?.();
  }
}

class TaskCall implements ToolCall {
  readonly executionId: string;
  readonly idempotencyKey: string;
  readonly step: string;
  readonly fence: number;
  readonly attempt: number;
  readonly lost: number;
  declare readonly upstream?: JsonObject;
  declare readonly resumed?: Json;

  readonly #performance: Performance;

  constructor(
    performance: Performance,
    readonly input: JsonObject,
    readonly spec: JsonObject,
    upstream: JsonObject | undefined,
  ) {
    this.#performance = performance;
    const { taskRunId, assignment, pipeline } = performance;
    this.attempt = pipeline.attempt + 1;
    this.executionId = assignment.execution_id;
    this.idempotencyKey = `${assignment.execution_id}/${taskRunId}/${this.attempt}`;
    this.step = assignment.step.name;
    this.fence = assignment.fence;
    this.lost = pipeline.lost;
    if (upstream) this.upstream = upstream;
    if (pipeline.memo !== null) this.resumed = pipeline.memo;
  }

  get visitKey(): string {
    const { assignment, pipeline, task } = this.#performance;
    return `${assignment.execution_id}/${visitId(assignment.job_id, pipeline, task.label)}`;
  }

  stepArgs(wants?: (name: string) => boolean): JsonObject | Promise<JsonObject> {
    return argsGiven(this.#performance, wants);
  }

  context(): JsonObject | Promise<JsonObject> {
    return contextGiven(this.#performance);
  }

  /** On a worker for servers, reading this creates the folder; spreading the call does not read it. */
  get workdir(): string {
    return String(this.#performance.assignment.source.folder ?? '.');
  }
}

class TaskContext implements ToolContext {
  readonly now: ToolContext['now'];
  readonly sandbox: boolean;
  readonly hidden: string[];
  readonly granted: IoPolicy;
  declare readonly onStop?: NonNullable<ToolContext['onStop']>;
  declare readonly aside?: NonNullable<ToolContext['aside']>;

  readonly #performance: Performance;
  readonly #limited: AbortSignal | undefined;

  constructor(
    performance: Performance,
    readonly blobs: Blobs,
    limited: AbortSignal | undefined,
  ) {
    this.#performance = performance;
    this.#limited = limited;
    const { options, port, assignment } = performance;
    this.now = port.host.now;
    this.sandbox = options.sandbox;
    this.hidden = options.hidden;
    this.granted = grantedPolicy(assignment.granted);
    if (limited === undefined) this.onStop = (stop) => performance.job.onStop(stop);
    if (options.aside) this.aside = options.aside;
  }

  get signal(): AbortSignal {
    return this.#limited ?? this.#performance.job.signal();
  }

  /** An arrow function, because a tool may pass it on without its object. */
  readonly log = (stream: 'stdout' | 'stderr', text: string): void => {
    const { options, assignment, taskRunId } = this.#performance;
    options.logs.write(assignment, taskRunId, stream, text);
  };
}

/** Waits for a place under `spec.limit`; an outcome says why there is none. */
async function enterLimit(performance: Performance, spec: JsonObject): Promise<(() => void) | Outcome> {
  const limit = limitOf(spec);
  if (limit === undefined || typeof limit === 'string') return failure('schema', limit ?? '');
  try {
    const holder = `${performance.assignment.execution_id}/${performance.taskRunId}`;
    return await performance.options.limits.enter(limit, performance.job.signal(), holder);
  } catch {
    return failure('cancelled', 'the task was cancelled while it waited for its limit');
  }
}

/** A task without a timeout needs no signal of its own. */
function deadlineOf({ job }: Performance, timeout: unknown): Deadline | undefined {
  const seconds = plainNumber(timeout);
  return isTimeout(seconds) ? new Deadline(job.signal(), seconds, 'timeout') : undefined;
}

function grantedPolicy(granted: JsonObject): IoPolicy {
  return {
    allow_files: granted.allow_files === true,
    allow_network: granted.allow_network === true,
    allow_shell: granted.allow_shell === true,
  };
}
