/**
 * What each event carries besides its place and time: the one description of `data`, by name.
 *
 * Decisions create it, folds and readers consume it, and the compiler checks both. `undefined` stands for no data; in a
 * union with `undefined`, every field of the other member may be missing. How to change it: ARCHITECTURE.md, "Changing
 * an event".
 */
import type { Json, JsonObject } from './json.ts';
import type { LoopItems } from './loop-items.ts';
import type { Outcome } from './outcome.ts';
import type { Directive, TaskError } from './pipeline.ts';
import type { Plan } from './plan.ts';
import type {
  BoundaryEvent,
  ExecutionError,
  ExecutionStatus,
  LoopStats,
  Parent,
  StepSummary,
} from './state.ts';

export interface EventData {
  'playbook.execution.requested': RequestedData;
  'playbook.request.evaluated': { workload: JsonObject; ctx?: JsonObject };
  'workflow.started': { entry: string[] };
  'token.enqueued': TokenData;
  'token.denied': { tokens: string[]; because: string };
  'token.dropped': { token: string; because: string };
  'step.adopted': { summary: StepSummary; labels?: JsonObject };
  'step.scheduled': ScheduledData;
  'step.started': undefined;
  'step.done': { result: Json };
  'step.failed': { error: TaskError; stats?: LoopStats };
  'step.skipped': { because: string };
  'step.cancelled': { because: string };
  'step.approved': AnswerData | undefined;
  'step.rejected': AnswerData | undefined;
  'next.evaluated': { event: BoundaryEvent['name']; selected: string[] };
  'loop.started': { depth: number; total: number; max_in_flight: number; items: LoopItems };
  'loop.iteration.started': { index: number };
  'loop.iteration.done': { index: number; result: Json };
  'loop.iteration.failed': { index: number; error: TaskError };
  'loop.results.stored': { count: number; page: Json };
  'loop.done': { result?: Json; stats: LoopStats };
  'job.leased': { worker: string };
  'job.released': { reason: string };
  'job.expired': { reason: string };
  'job.parked': ParkedData | undefined;
  'job.woken': undefined;
  'task.started': undefined;
  'task.done': { outcome: Outcome; directive: Directive };
  'ctx.patched': { patch?: JsonObject; shared?: JsonObject; of_step?: true };
  'execution.driven': { driver: string };
  'execution.needs_human': { steps: string[] };
  'execution.paused': { by?: string } | undefined;
  'execution.resumed': { by?: string } | undefined;
  'execution.cancelled': { reason: string };
  'workflow.finished': FinishedData;
  'playbook.processed': { status: ExecutionStatus };
}

export interface RequestedData {
  /** The hash of the plan. */
  plan: string;
  kind: Plan['kind'];
  name: string;
  path?: string;
  source?: JsonObject;
  parent?: Parent;
  iter?: JsonObject;
  granted?: JsonObject;
  driver?: string;
  priority?: number;
  rerun_of?: string;
}

export interface TokenData {
  token: string;
  args?: JsonObject;
  arc?: string;
  event?: BoundaryEvent['name'];
}

export interface ScheduledData {
  tokens: string[];
  args?: JsonObject;
  passed?: JsonObject;
  /** What a person must allow before the step gets a job. */
  held?: JsonObject;
}

interface AnswerData {
  by?: string;
  note?: string;
  override?: true;
}

interface ParkedData {
  until?: number;
  child?: string;
  human?: JsonObject;
  memo?: Json;
}

export interface FinishedData {
  status: ExecutionStatus;
  error?: ExecutionError;
  result?: Json;
}
