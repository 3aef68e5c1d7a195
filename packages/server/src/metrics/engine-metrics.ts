/** What the engine does, counted from durable events and its commits. */
import type { CommitFigures } from '@woof/engine';
import { type Event, type EventOf, jobKey } from '@woof/net';
import type { Registry } from './registry.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EVENTS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];
/** The maximum number of leases that wait for their first task. Further ones are not timed. */
const MOST_TIMED = 100_000;

export interface EngineMetrics {
  /** Called with durable events. */
  events(executionId: string, events: readonly Event[]): void;
  committed(figures: CommitFigures): void;
}

export function engineMetrics(registry: Registry): EngineMetrics {
  const started = registry.counter('woof_executions_started_total', 'Executions started by this server.');
  const ended = registry.counter(
    'woof_executions_ended_total',
    'Executions that ended on this server, by status.',
  );
  const steps = registry.counter(
    'woof_step_runs_ended_total',
    'Step runs that ended on this server, by status.',
  );
  const tasks = registry.counter('woof_tasks_done_total', 'Task runs that ended on this server, by status.');
  const retries = registry.counter('woof_task_retries_total', 'Retries of task runs.');
  const leased = registry.counter('woof_jobs_leased_total', 'Jobs given to workers.');
  const expired = registry.counter('woof_jobs_expired_total', 'Jobs taken back from workers that were gone.');
  const parked = registry.counter('woof_jobs_parked_total', 'Jobs that gave their slot back to wait.');
  const taken = registry.counter('woof_executions_taken_total', 'Executions taken over from other servers.');
  const toStart = registry.histogram(
    'woof_job_start_seconds',
    'Time from the lease of a job to the start of its first task.',
    SECONDS,
  );
  const commits = registry.histogram('woof_commit_seconds', 'Duration of appends to the store.', SECONDS);
  const batches = registry.histogram('woof_commit_events', 'Events per append.', EVENTS);
  const frames = registry.counter('woof_frames_total', 'Frames appended: one per execution and commit.');
  const leases = new Map<string, number>();
  const [taskOk, taskFailed] = [tasks.with({ status: 'ok' }), tasks.with({ status: 'error' })];
  const stepDone = steps.with({ status: 'done' });

  const lease = (execution: string, event: Event) => {
    leased.add();
    if (leases.size < MOST_TIMED) leases.set(jobOf(execution, event), event.at);
  };
  const firstTask = (execution: string, event: Event) => {
    const key = jobOf(execution, event);
    const at = leases.get(key);
    if (at === undefined) return;
    leases.delete(key);
    toStart.observe(Math.max(0, event.at - at) / 1000);
  };
  const task = ({ data: { outcome, directive } }: EventOf<'task.done'>) => {
    if (outcome.status === 'error') taskFailed();
    else taskOk();
    if (directive.do === 'retry') retries.add();
  };
  const count = (execution: string, event: Event) => {
    switch (event.name) {
      case 'playbook.execution.requested':
        return started.add();
      case 'playbook.processed':
        return ended.add({ status: event.data.status });
      case 'execution.driven':
        return taken.add();
      case 'job.leased':
        return lease(execution, event);
      case 'task.started':
        return firstTask(execution, event);
      case 'task.done':
        return task(event);
      case 'job.expired':
        expired.add();
        return leases.delete(jobOf(execution, event));
      case 'job.parked':
        parked.add();
        return leases.delete(jobOf(execution, event));
      case 'step.done':
        stepDone();
        return leases.delete(jobOf(execution, event));
      case 'step.failed':
      case 'step.cancelled':
      case 'step.skipped':
        steps.add({ status: event.name.slice('step.'.length) });
        return leases.delete(jobOf(execution, event));
      case 'loop.done':
        if (event.iteration_id === undefined) stepDone();
        return undefined;
      case 'loop.iteration.done':
      case 'loop.iteration.failed':
        return leases.delete(jobOf(execution, event));
      default:
        return undefined;
    }
  };
  return {
    events: (execution, events) => {
      for (const event of events) count(execution, event);
    },
    committed: (figures) => {
      frames.add(undefined, figures.frames);
      batches.observe(figures.events);
      commits.observe(figures.ms / 1000);
    },
  };
}

const jobOf = (execution: string, event: Event): string =>
  jobKey({ execution_id: execution, job_id: event.iteration_id ?? event.step_run_id ?? '' });
