/** Who executes jobs: the worker of this process, or the desk where workers of other processes ask for them. */
import type { Assignment, JobPort, Plan, Step } from '@woof/net';

export interface Executor {
  /** How many jobs could be placed now, at most. */
  freeSlots(): number;
  /** The worker that takes this job; its place is kept until `execute` or `unplace`. None: nobody can, now. */
  place(job: Placement): string | undefined;
  unplace(worker: string): void;
  /** How many jobs run now: what they say must not wait for the disk. */
  readonly busy?: number;
  execute(assignment: Assignment, worker: string, port: JobPort): void;
  /** The job begins with a task that only computes, so that it need not wait for the disk. */
  startsPure(assignment: Assignment): boolean;
  abort(executionId: string, jobId: string, reason: string): void;
  /** The execution is over: whatever was kept for it may go. */
  ended?(executionId: string): void;
}

export interface Placement {
  execution_id: string;
  plan: Plan;
  step: Step;
  /** The worker that must take it as long as it is there: it has the kernels of its cells, or the jobs it belongs to. */
  home: string | undefined;
}
