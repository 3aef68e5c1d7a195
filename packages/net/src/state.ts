/**
 * The state of an execution: the fold of its events, and nothing else.
 *
 * Finished iterations, jobs and step runs leave the state; only the summary of a step remains. So its size depends on
 * what is live and what was asked to be kept (results, ctx), not on the length of the history.
 * `agenda` holds the entries whose consequences the net has not drawn yet. It settles within a turn and is not part of
 * a snapshot.
 */
import type { Json, JsonObject } from './json.ts';
import type { LoopItems } from './loop-items.ts';
import type { Pipeline, TaskError } from './pipeline.ts';
import type { Plan } from './plan.ts';

export type ExecutionStatus = 'running' | 'paused' | 'needs_human' | 'succeeded' | 'failed' | 'cancelled';
export type StepStatus =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'skipped'
  | 'needs_human'
  | 'cancelled';

export interface State {
  execution_id: string;
  /** Number of events folded. */
  seq: number;
  status: ExecutionStatus;
  plan: Plan;
  plan_hash: string;
  started_at: number;
  ended_at?: number;
  workload: JsonObject;
  /** Replaced, never mutated, by a patch: a job keeps the ctx that it was given. */
  ctx: JsonObject;
  /** The calling iteration, in a nested playbook. */
  iter?: JsonObject;
  parent?: Parent;
  /** What the person at the terminal granted. */
  granted: JsonObject;
  /** The server that last took over the execution, or started it. */
  driver?: string;
  /** When workers are scarce, a higher priority goes first. */
  priority: number;
  /** The worker that has the kernels of a notebook's cells, or all jobs of a local run. */
  session_worker?: string;
  tokens: Map<string, Token>;
  runs: Map<string, StepRun>;
  loops: Map<string, LoopState>;
  jobs: Map<string, Job>;
  /** Jobs that are waiting for a worker, oldest first. */
  ready: Set<string>;
  steps: Map<string, StepSummary>;
  /** Results of named tasks of finished steps without a loop. */
  labels: JsonObject;
  /** Tokens that are waiting at a join step, in order of arrival. */
  waiting: Map<string, string[]>;
  /** Live tokens and runs per step, for joins. */
  live: Map<string, number>;
  tokenCount: number;
  /** How many jobs are waiting for a person. */
  humans: number;
  agenda: Agenda;
  /** The step that succeeded last: its result is the result of the execution. */
  lastDone?: string;
  error?: ExecutionError;
  result?: Json;
}

export interface Parent {
  execution_id: string;
  job_id: string;
  /** The run that both belong to, and how deep this one is nested in it; absent in logs of earlier versions. */
  root?: string;
  depth?: number;
}

export interface ExecutionError extends TaskError {
  step?: string;
}

/** Ids whose consequences have not been drawn yet, oldest first. */
export interface Agenda {
  jobs: Set<string>;
  loops: Set<string>;
  runs: Set<string>;
  tokens: Set<string>;
  /** Join steps with waiting tokens. */
  joins: Set<string>;
  /** Loops that could start more iterations if the execution had room for them. */
  crowded: Set<string>;
}

export interface Token {
  id: string;
  step: string;
  args: JsonObject;
  /** The arc it arrived over: `<step>#<index>`; absent for an entry. */
  arc?: string;
  /** The boundary event that sent it. */
  event?: BoundaryEvent;
}

export interface BoundaryEvent {
  name: 'step.done' | 'step.failed' | 'loop.done';
  step: string;
}

export interface StepRun {
  id: string;
  step: string;
  args: JsonObject;
  /** The consumed token's args, if the step adds its own: only these are passed on. */
  passed?: JsonObject;
  scheduled_at: number;
  started_at?: number;
  /** Set when the run ended; it stays until its arcs are evaluated. */
  ended?: { event: BoundaryEvent['name']; error?: TaskError };
  /** Whether the step's own set_ctx was applied. */
  patched?: true;
}

export interface LoopState {
  /** The id of the step run, or of the iteration whose body is this inner loop. */
  id: string;
  run: string;
  /** 0 for the outermost. */
  depth: number;
  items: LoopItems;
  total: number;
  next: number;
  /** The oldest running iteration; `next` if none is running. */
  oldest: number;
  active: Set<number>;
  succeeded: number;
  failed: number;
  maxInFlight: number;
  /** From iteration `stored.count` on; null if an iteration has no result or is still running. */
  results: Json[];
  /** Approximate size of `results`. */
  bytes: number;
  /** How many results are in the blob store, and in which lists. */
  stored: { count: number; pages: Json[] };
  errors: { index: number; error: TaskError }[];
  /** Which iteration wrote a ctx key, in a parallel loop. */
  writers: Record<string, number>;
  /** The worker that has its iterations, if they stay on one. */
  worker?: string;
}

/** All fields are always present: objects of one shape keep a million jobs cheap. */
export interface Job {
  id: string;
  run: string;
  step: string;
  /** The loop that it is an iteration of, and its index. */
  loop: string | null;
  index: number;
  /** `held`: the policy blocks its step. Outside the execution the job does not exist until a person approves it. */
  status: 'ready' | 'leased' | 'parked' | 'held';
  fence: number;
  worker: string | null;
  /** Parked until this time (ms), or until that execution ends. */
  until: number | null;
  child: string | null;
  /** Parked or held until a person answers, and why. */
  human: JsonObject | null;
  pipeline: Pipeline;
}

export interface StepSummary {
  status: StepStatus;
  runs: number;
  result?: Json;
  /** Results of its named tasks, if it has no loop. */
  tasks?: JsonObject;
  error?: TaskError;
  /** Why it was skipped. */
  because?: string;
  started_at?: number;
  ended_at?: number;
  retries: number;
  /** The execution in which it ran, if a rerun adopted it. */
  reused_from?: string;
  /** Counts of iterations, for a loop. */
  stats?: LoopStats;
}

export interface LoopStats {
  total: number;
  succeeded: number;
  failed: number;
}

export function emptyState(executionId: string, plan: Plan): State {
  return {
    execution_id: executionId,
    seq: 0,
    status: 'running',
    plan,
    plan_hash: '',
    started_at: 0,
    workload: {},
    ctx: {},
    granted: {},
    priority: 0,
    tokens: new Map(),
    runs: new Map(),
    loops: new Map(),
    jobs: new Map(),
    ready: new Set(),
    steps: new Map(),
    labels: {},
    waiting: new Map(),
    live: new Map(),
    tokenCount: 0,
    humans: 0,
    agenda: emptyAgenda(),
  };
}

function emptyAgenda(): Agenda {
  return {
    jobs: new Set(),
    loops: new Set(),
    runs: new Set(),
    tokens: new Set(),
    joins: new Set(),
    crowded: new Set(),
  };
}

/** Everything that may have consequences, for a state from a snapshot, which does not record what has. */
export function wholeAgenda(state: State): Agenda {
  const agenda = emptyAgenda();
  for (const job of state.jobs.values()) if (job.pipeline.status !== 'running') agenda.jobs.add(job.id);
  // Inner loops first, as when they start: entries inside a loop get room first.
  for (const id of [...state.loops.keys()].reverse()) agenda.loops.add(id);
  for (const run of state.runs.values()) if (run.ended) agenda.runs.add(run.id);
  for (const step of state.waiting.keys()) agenda.joins.add(step);
  const atJoins = new Set([...state.waiting.values()].flat());
  for (const id of state.tokens.keys()) if (!atJoins.has(id)) agenda.tokens.add(id);
  return agenda;
}

export function isEnded(state: State): boolean {
  return state.status === 'succeeded' || state.status === 'failed' || state.status === 'cancelled';
}

export function runOf(state: State, id: string): StepRun {
  return found(state.runs.get(id), 'step run', id);
}

export function jobOf(state: State, id: string): Job {
  return found(state.jobs.get(id), 'job', id);
}

export function loopOf(state: State, id: string): LoopState {
  return found(state.loops.get(id), 'loop', id);
}

function found<T>(value: T | undefined, what: string, id: string): T {
  if (value === undefined) throw new Error(`the log speaks of a ${what} "${id}" that is not live`);
  return value;
}
