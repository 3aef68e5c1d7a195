/** The worker: accepts assignments, up to a fixed number at once, and runs each pipeline to its end. */
import { type Assignment, isNamedCall, type JobPort, jobKey, type Task } from '@woof/net';
import type { Blobs, Tool } from '@woof/tools';
import { Announcements } from './announcements.ts';
import type { CellRunner } from './cells/cell-runner.ts';
import { Job } from './job.ts';
import type { Keychains } from './keychain/keychains.ts';
import { Limits, type TaskLimits } from './limits.ts';
import type { LogSink } from './log-sink.ts';
import { isPure, schemaOf } from './own-kinds.ts';
import type { PerformOptions } from './performance.ts';
import type { ResultStores } from './result-store/result-stores.ts';

export interface WorkerOptions {
  id: string;
  slots: number;
  tools: ReadonlyMap<string, Tool>;
  blobs: Blobs;
  logs: LogSink;
  sandbox: boolean;
  /** Folders that no task may see, such as the data directory. */
  hidden: string[];
  /** Runs the cells of notebooks. */
  cells?: CellRunner;
  /** Where the secrets of executions come from. */
  keychains?: Keychains;
  /** Where large results go if the document names a store for them. */
  resultStores?: ResultStores;
  /** Where tasks with a limit wait. Absent: within this process. */
  limits?: TaskLimits;
  /** Called when a job only waits for other machines, which frees its slot. */
  onAside?: () => void;
  /** Called when a job of an execution is over, which frees its slot. */
  onFree?: (executionId: string) => void;
}

export class Worker {
  private readonly running = new Map<string, Job>();
  private readonly performing: PerformOptions;
  private readonly announcements = new Announcements();
  private placed = 0;
  /** How many of the running jobs only wait for other machines. */
  private aside = 0;

  constructor(private readonly options: WorkerOptions) {
    this.performing = {
      ...options,
      limits: options.limits ?? new Limits(),
      aside: (wait) => this.goAside(wait),
    };
  }

  get id(): string {
    return this.options.id;
  }

  /** How many jobs are running. */
  get busy(): number {
    return this.running.size;
  }

  freeSlots(): number {
    return Math.max(0, this.options.slots - (this.running.size - this.aside) - this.placed);
  }

  /** Reserves a slot for a job that is about to arrive. */
  place(): string | undefined {
    if (this.freeSlots() <= 0) return undefined;
    this.placed += 1;
    return this.options.id;
  }

  unplace(): void {
    this.placed -= 1;
  }

  /** True if the job begins with a task that only computes. */
  startsPure({ step, pipeline }: Assignment): boolean {
    return isPure(step.tasks[pipeline.pc], this.options.tools) && pipeline.notBefore === 0;
  }

  /** True if one of its tasks may start a program. */
  runsCode({ step, plan }: Assignment): boolean {
    const isCode = ({ kind }: Task) => schemaOf(kind, this.options.tools)?.runsCode;
    const blocks = () => Object.values(plan.blocks);
    return step.tasks.some((task) => isCode(task) || (isNamedCall(task) && blocks().some(isCode)));
  }

  execute(assignment: Assignment, _worker: string, port: JobPort): void {
    this.placed = Math.max(0, this.placed - 1);
    const key = jobKey(assignment);
    const job = new Job(assignment, port, this.performing, this.announcements);
    this.running.set(key, job);
    job.run().then(
      () => this.free(assignment.execution_id, key, job),
      (error: Error) => {
        job.broken(error);
        this.free(assignment.execution_id, key, job);
      },
    );
  }

  abort(executionId: string, jobId: string, reason: string): void {
    this.running.get(jobKey({ execution_id: executionId, job_id: jobId }))?.abort(reason);
  }

  /** Resolves when nothing of the execution is running or being written any more. */
  async ended(executionId: string): Promise<void> {
    this.options.keychains?.ended(executionId);
    await this.options.cells?.ended(executionId);
  }

  async close(): Promise<void> {
    for (const job of this.running.values()) job.abort('the worker stops');
    for (const tool of this.options.tools.values()) await tool.close?.();
    await this.options.cells?.close();
    await this.options.resultStores?.close();
    await this.options.logs.close();
  }

  private async goAside<T>(waiting: () => Promise<T>): Promise<T> {
    this.aside += 1;
    this.options.onAside?.();
    try {
      return await waiting();
    } finally {
      this.aside -= 1;
    }
  }

  private free(executionId: string, key: string, job: Job): void {
    if (this.running.get(key) === job) this.running.delete(key);
    this.options.onFree?.(executionId);
  }
}
