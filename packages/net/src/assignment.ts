/** What a worker receives with a lease: the job, its records so far, and the world that its templates can see. */
import type { Host } from '@woof/expr';
import type { JobReport } from './command.ts';
import type { Question } from './explain.ts';
import type { ListAccess } from './grown-lists.ts';
import type { JsonObject } from './json.ts';
import type { OffloadAll } from './offload.ts';
import type { Pipeline } from './pipeline.ts';
import type { Plan, Step } from './plan.ts';
import type { Iteration, World } from './scope.ts';

export interface Assignment {
  execution_id: string;
  job_id: string;
  step_run_id: string;
  fence: number;
  /** In ms, by the clock of the process that leased the job. */
  leased_at: number;
  plan: Plan;
  step: Step;
  /**
   * The args of the step run. For an iteration, only those that the token brought: the worker evaluates the step's own.
   */
  args: JsonObject;
  /** The worker's own copy. */
  pipeline: Pipeline;
  world: World;
  iteration?: Iteration;
  callerIter?: JsonObject;
  granted: JsonObject;
  /** The folder and file of the document. */
  source: JsonObject;
}

/** What a worker can ask the control plane about a job that it holds. */
export interface JobPort extends OffloadAll, ListAccess {
  readonly host: Host;
  /** A template read a value that is stored elsewhere. Its result is void until `bring` has loaded that value. */
  lacks(): boolean;
  bring(): Promise<void>;
  /** Recorded now; becomes durable with the next report. */
  started(assignment: Assignment, report: JobReport): void;
  /** Accepted at once and durable soon. False: the job no longer belongs to this worker, which must stop. */
  report(assignment: Assignment, reports: JobReport[]): boolean;
  /**
   * The job kept this thread for so long. Resolves when it may begin its next task; undefined: now. Absent: nobody else
   * needs the thread.
   */
  took?(assignment: Assignment, ms: number): Promise<void> | undefined;
  /** Resolves when everything before this point is durable; call it before an effect. False: the worker must stop. */
  durable(assignment: Assignment): Promise<boolean>;
  /** Starts the nested playbook of this task, or finds the one that was started earlier. */
  child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer>;
  cancelChild(executionId: string, reason: string): Promise<void>;
}

export interface ChildRequest {
  path: string;
  args: JsonObject;
  iter: JsonObject;
  /** The same for every attempt of a task run, so that the child starts only once. */
  key: string;
  return_step?: string;
}

export type ChildAnswer =
  /** `asks`: the questions that it is waiting for a person to answer, if any. */
  | { state: 'running'; execution_id: string; asks?: Question[] }
  | { state: 'ended'; execution_id: string; status: string; result: unknown; error?: string }
  | { state: 'invalid'; message: string };
