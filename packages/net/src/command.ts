/** What can be asked of an execution, and the ways in which it can be refused. */
import type { Host } from '@woof/expr';
import type { Json, JsonObject } from './json.ts';
import type { Limits } from './limits.ts';
import type { PageSize } from './loop-results.ts';
import type { Outcome } from './outcome.ts';
import type { Directive, TaskError } from './pipeline.ts';
import type { Reference } from './reference.ts';
import type { BoundaryEvent, Parent, StepSummary } from './state.ts';

/** Everything a decision may take from outside. */
export interface Env {
  now: number;
  host: Host;
  /** Gives a large value to the blob store and returns its reference; a small one as it is. */
  offload(value: Json): Json;
  /** Gives a value to the blob store, whatever its size. */
  putAway(value: Json): Json;
  resolve(reference: Reference): Json;
  /** How long a stored list is; undefined: it is something else, or can be read as a whole only. */
  lengthOf(reference: Reference): number | undefined;
  /** An item of a stored list, without the others. */
  itemOf(reference: Reference, index: number): Json;
  limits: Limits;
  /** When results of a loop make a page; absent: PAGE_SIZE. */
  page?: PageSize;
}

export type Command =
  | StartExecution
  | LeaseJob
  | ReportJob
  | ExpireJob
  | WakeJob
  | AnswerStep
  /** A server takes the execution over from another, or from none. */
  | { type: 'DriveExecution'; driver: string }
  | { type: 'PauseExecution'; by?: string }
  | { type: 'ResumeExecution'; by?: string }
  | { type: 'CancelExecution'; reason: string }
  | EndLoop
  /** It has become larger than it may. */
  | { type: 'FailExecution'; error: TaskError }
  /** Draws consequences that an earlier turn left for this one. */
  | { type: 'SettleExecution' };

export interface StartExecution {
  type: 'StartExecution';
  plan_hash: string;
  workload: JsonObject;
  granted?: JsonObject;
  /** Folder and file of the document. */
  source?: JsonObject;
  parent?: Parent;
  iter?: JsonObject;
  /** The server that starts it, where there is one. */
  driver?: string;
  /** Higher goes first where workers are short; 0 unless it is said. */
  priority?: number;
  adopt?: Adoption;
}

/** What a rerun takes over from an earlier execution. */
export interface Adoption {
  rerun_of: string;
  ctx: JsonObject;
  steps: Record<string, StepSummary>;
  /** By step: the results of its named tasks. */
  labels: Record<string, JsonObject>;
  tokens: AdoptedToken[];
}

/** As the log tells a token, but for its id. */
export interface AdoptedToken {
  step: string;
  args: JsonObject;
  arc?: string;
  event?: BoundaryEvent['name'];
}

/** What a person says to a step that waits for one. */
export interface AnswerStep {
  type: 'AnswerStep';
  step: string;
  approved: boolean;
  by?: string;
  note?: string;
  /** Lets it run although the policy blocks it. */
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
  /** Who reports, where that is not certain already: the lease must be its. */
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
  /** The worker stops and gives the job back. */
  | { type: 'released'; reason: string };

export interface ExpireJob {
  type: 'ExpireJob';
  job_id: string;
  fence: number;
  reason: string;
}

/** All results of a long loop are one value now, or cannot be. */
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
