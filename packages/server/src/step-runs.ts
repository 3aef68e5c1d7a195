/** Every firing of every step, read from the log, because the state no longer has those that have ended. */
import type { Event } from '@woof/net';
import type { Store } from '@woof/stores';

export interface StepRunAccount {
  step_run_id: string;
  step: string;
  status: string;
  scheduled_at: number;
  ended_at?: number;
  iterations: number;
  tasks: number;
}

const ENDS: Partial<Record<Event['name'], string>> = {
  'step.done': 'succeeded',
  'loop.done': 'succeeded',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.cancelled': 'cancelled',
};

export async function stepRuns(store: Store, executionId: string): Promise<StepRunAccount[]> {
  const runs = new Map<string, StepRunAccount>();
  for await (const { events } of store.read(executionId)) for (const event of events) note(runs, event);
  return [...runs.values()];
}

function note(runs: Map<string, StepRunAccount>, event: Event): void {
  const { name, at, step = '', step_run_id: id } = event;
  if (id === undefined) return;
  let run = runs.get(id);
  if (run === undefined) {
    run = { step_run_id: id, step, status: 'pending', scheduled_at: at, iterations: 0, tasks: 0 };
    runs.set(id, run);
  }
  if (name === 'loop.iteration.started') run.iterations += 1;
  if (name === 'task.done') run.tasks += 1;
  const status = ENDS[name];
  if (status !== undefined) Object.assign(run, { status, ended_at: at });
  else run.status = statusAfter(event, run);
}

/** As in the account of an execution: a step is running once a worker has leased one of its jobs. */
function statusAfter(event: Event, { status, tasks }: StepRunAccount): string {
  const { name } = event;
  if (event.name === 'step.scheduled' && event.data.held !== undefined) return 'needs_human';
  if (event.name === 'job.parked' && event.data?.human !== undefined) return 'needs_human';
  if (name === 'job.leased') return 'running';
  const waitsAgain = name === 'job.expired' || name === 'job.released' || name === 'step.approved';
  return waitsAgain && tasks === 0 ? 'pending' : status;
}
