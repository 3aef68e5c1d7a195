/** What a worker is given with a lease: the job, its records so far, and the world its templates can see. */
import type { Host } from '@woof/expr';
import type { JobReport } from './command.ts';
import type { Question } from './explain.ts';
import type { Json, JsonObject } from './json.ts';
import type { Pipeline } from './pipeline.ts';
import type { Plan, Step } from './plan.ts';
import type { Iteration, World } from './scope.ts';

export interface Assignment {
  execution_id: string;
  job_id: string;
  step_run_id: string;
  fence: number;
  /** By the clock of the process that leased it, ms. */
  leased_at: number;
  plan: Plan;
  step: Step;
  /** Those of the step run; of an iteration only what the token brought, since the worker evaluates the step's own. */
  args: JsonObject;
  /** The worker's own copy. */
  pipeline: Pipeline;
  world: World;
  iteration?: Iteration;
  callerIter?: JsonObject;
  granted: JsonObject;
  /** Folder and file of the document. */
  source: JsonObject;
}

/** What a worker can ask of the control plane about a job that it holds. */
export interface JobPort {
  readonly host: Host;
  /** A template read a value that lies elsewhere: what it gave is void until `bring` brought it. */
  lacks(): boolean;
  bring(): Promise<void>;
  /** Gives a large value to the blob store and returns its reference; a small one as it is. */
  offload(value: Json, inlineMaxBytes?: number): Json;
  /** Noted, and durable with whatever is reported next. */
  started(assignment: Assignment, report: JobReport): void;
  /** Taken at once and durable soon. False: the job is no longer this worker's; stop. */
  report(assignment: Assignment, reports: JobReport[]): boolean;
  /** Resolves when everything that led here is durable; an effect waits for it. False: stop. */
  durable(assignment: Assignment): Promise<boolean>;
  /** Starts the nested playbook of this task, or finds the one that was started before. */
  child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer>;
  cancelChild(executionId: string, reason: string): Promise<void>;
}

export interface ChildRequest {
  path: string;
  args: JsonObject;
  iter: JsonObject;
  /** The same for every try of the same task run, so that a child starts once. */
  key: string;
  return_step?: string;
}

export type ChildAnswer =
  /** `asks`: what it waits for, where a person must answer. */
  | { state: 'running'; execution_id: string; asks?: Question[] }
  | { state: 'ended'; execution_id: string; status: string; result: unknown; error?: string }
  | { state: 'invalid'; message: string };
