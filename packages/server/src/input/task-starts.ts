/**
 * Collects the starts of the tasks of one job while the log is folded.
 *
 * A worker sees the execution as it was when the job was leased, plus what the job itself wrote since. This is kept here;
 * if a task started several times, for its last start.
 */
import { assign, Sight } from '@woof/engine';
import {
  type Assignment,
  BlobError,
  type Env,
  type Event,
  type EventData,
  type JsonObject,
  jobOf,
  type Pipeline,
  patchShared,
  type State,
} from '@woof/net';

/** Stands for a value that the log does not contain. */
export const UNKNOWN = '[unknown]';

export interface TaskStart {
  assignment: Assignment;
  pipeline: Pipeline;
}

export class TaskStarts {
  /** The args of the token and of the step; absent if the step run is not in the log. */
  runArgs: JsonObject | undefined;
  lease: Assignment | undefined;
  /** Why the item of the iteration cannot be read. */
  itemFault: string | undefined;
  readonly starts = new Map<string, TaskStart>();

  constructor(
    private readonly runId: string,
    private readonly jobId: string,
    private readonly readItem: Env['itemOf'],
  ) {}

  readonly see = (state: State, event: Event): void => {
    if (event.step_run_id !== this.runId) return;
    if (event.name === 'step.scheduled') this.runArgs = event.data.args ?? {};
    if ((event.iteration_id ?? event.step_run_id) !== this.jobId) return;
    if (event.name === 'job.leased') this.leased(state, event);
    else if (event.name === 'task.started') this.started(state, event);
    else if (event.name === 'ctx.patched') this.patched(event.data);
  };

  private readonly itemOf: Env['itemOf'] = (reference, index) => {
    try {
      return this.readItem(reference, index);
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      this.itemFault = error.message;
      return UNKNOWN;
    }
  };

  private leased(state: State, { at: now }: Event): void {
    const { itemOf, jobId } = this;
    const assignment = assign({ state, source: {}, sight: new Sight(state) }, jobId, { now, itemOf });
    this.lease = assignment;
    const { tasks } = assignment.step;
    const task = tasks[assignment.pipeline.pc];
    const before = task && this.starts.get(task.label);
    // A task that was parked or lost is rendered again, but announced only once.
    if (before && before.pipeline.taskRuns === assignment.pipeline.taskRuns)
      this.starts.set(task.label, { assignment, pipeline: assignment.pipeline });
  }

  private started(state: State, { task_label: label }: Event): void {
    if (this.lease === undefined || label === undefined) return;
    const pipeline = { ...jobOf(state, this.jobId).pipeline };
    this.starts.set(label, { assignment: this.lease, pipeline });
  }

  private patched({ patch, shared, of_step }: EventData['ctx.patched']): void {
    if (this.lease === undefined || of_step === true) return;
    const { world } = this.lease;
    const ctx = { ...world.ctx, ...patch, ...patchShared(world.ctx, shared) };
    this.lease = { ...this.lease, world: { ...world, ctx } };
  }
}
