/** Executes jobs: the worker of this process, or the desk where workers of other processes ask for them. */
import type { Assignment, JobPort, Plan, Step } from '@woof/net';

export interface Executor {
  /** The most jobs that could be placed now. */
  freeSlots(): number;
  /**
   * The worker that takes this job; its slot is reserved until `execute` or `unplace`. Undefined: nobody can take it
   * now.
   */
  place(job: Placement): string | undefined;
  unplace(worker: string): void;
  /** How many jobs are running: their reports must not wait for the disk. */
  readonly busy?: number;
  execute(assignment: Assignment, worker: string, port: JobPort): void;
  /** True if the job begins with a task that only computes, so that it need not wait for the disk. */
  startsPure(assignment: Assignment): boolean;
  abort(executionId: string, jobId: string, reason: string): void;
  /** The execution is over: whatever was kept for it may be removed. */
  ended?(executionId: string): void;
}

export interface Placement {
  execution_id: string;
  plan: Plan;
  step: Step;
  /**
   * The worker that must take the job while it is alive: it has the kernels of its cells, or the jobs that it belongs
   * to.
   */
  home: string | undefined;
}
