/** The commands that an execution accepts, and the reasons for which it can refuse them. */
import type { Host } from '@woof/expr';
import type { ListAccess } from './grown-lists.ts';
import type { Json, JsonObject } from './json.ts';
import type { Limits } from './limits.ts';
import type { PageSize } from './loop-results.ts';
import type { OffloadAll } from './offload.ts';
import type { Outcome } from './outcome.ts';
import type { Directive, TaskError } from './pipeline.ts';
import type { Reference } from './reference.ts';
import type { BoundaryEvent, Parent, StepSummary } from './state.ts';

/** Everything that a decision may take from outside. */
export interface Env extends OffloadAll, ListAccess {
  now: number;
  host: Host;
  /** Moves a value to the blob store, whatever its size. */
  putAway(value: Json): Json;
  resolve(reference: Reference): Json;
  /** The length of a stored list. Undefined: the value is not a list, or can only be read as a whole. */
  lengthOf(reference: Reference): number | undefined;
  /** One item of a stored list, without loading the others. */
  itemOf(reference: Reference, index: number): Json;
  limits: Limits;
  /** When the results of a loop form a page; default: PAGE_SIZE. */
  page?: PageSize;
}

export type Command =
  | StartExecution
  | LeaseJob
  | ReportJob
  | ExpireJob
  | WakeJob
  | AnswerStep
  /** A server takes over the execution, from another server or from none. */
  | { type: 'DriveExecution'; driver: string }
  | { type: 'PauseExecution'; by?: string }
  | { type: 'ResumeExecution'; by?: string }
  | { type: 'CancelExecution'; reason: string }
  | EndLoop
  /** The execution has exceeded a size limit. */
  | { type: 'FailExecution'; error: TaskError }
  /** Draws the consequences that an earlier turn left over. */
  | { type: 'SettleExecution' };

export interface StartExecution {
  type: 'StartExecution';
  plan_hash: string;
  workload: JsonObject;
  granted?: JsonObject;
  /** The folder and file of the document. */
  source?: JsonObject;
  parent?: Parent;
  iter?: JsonObject;
  /** The server that starts it, if any. */
  driver?: string;
  /** When workers are scarce, a higher priority goes first; default: 0. */
  priority?: number;
  adopt?: Adoption;
}

/** What a rerun adopts from an earlier execution. */
export interface Adoption {
  rerun_of: string;
  ctx: JsonObject;
  steps: Record<string, StepSummary>;
  /** By step: the results of its named tasks. */
  labels: Record<string, JsonObject>;
  tokens: AdoptedToken[];
}

/** A token as the log records it, without its id. */
export interface AdoptedToken {
  step: string;
  args: JsonObject;
  arc?: string;
  event?: BoundaryEvent['name'];
}

/** A person's answer to a step that is waiting for one. */
export interface AnswerStep {
  type: 'AnswerStep';
  step: string;
  approved: boolean;
  by?: string;
  note?: string;
  /** Lets the step run although the policy blocks it. */
  override?: true;
}

export interface LeaseJob {
  type: 'LeaseJob';
  job_id: string;
  worker: string;
}

export interface ReportJob {
  type: 'ReportJob';
  job_id: string;
  fence: number;
  /** Who reports, if that is not known otherwise; the lease must belong to this worker. */
  worker?: string;
  reports: JobReport[];
}

export type JobReport =
  | { type: 'started'; label: string; task_run_id: string; attempt: number }
  | {
      type: 'done';
      label: string;
      task_run_id: string;
      attempt: number;
      outcome: Outcome;
      directive: Directive;
    }
  | { type: 'parked'; until?: number; child?: string; human?: JsonObject; memo?: Json }
  /** The worker stops and returns the job. */
  | { type: 'released'; reason: string };

export interface ExpireJob {
  type: 'ExpireJob';
  job_id: string;
  fence: number;
  reason: string;
}

/** All results of a long loop are one value now, or cannot become one. */
export type EndLoop = { type: 'EndLoop'; loop_id: string } & ({ result: Json } | { error: TaskError });

export interface WakeJob {
  type: 'WakeJob';
  job_id: string;
}

export type Refusal =
  | 'execution_ended'
  | 'execution_not_paused'
  | 'execution_paused'
  | 'already_recorded'
  | 'already_started'
  | 'job_not_found'
  | 'job_not_ready'
  | 'job_not_parked'
  | 'loop_not_collected'
  | 'not_an_approver'
  | 'other_worker'
  | 'override_needed'
  | 'out_of_order'
  | 'stale_fence'
  | 'step_not_waiting';
