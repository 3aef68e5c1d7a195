/** When each step ran, and what it did in that time. */
import type { Event, EventOf } from '@woof/net';
import type { Attempt, Span, Wait } from './run-source.ts';
import { TaskBars } from './task-bars.ts';

const ENDS = {
  'step.done': 'succeeded',
  'step.failed': 'failed',
  'step.cancelled': 'cancelled',
  'loop.done': 'succeeded',
} as const;

/** More bars than this would add nothing to the picture. */
const MOST_SPANS = 20_000;
/** Maximum tasks that are shown one by one, and as many again that failed. */
const MOST_TASKS = 5000;
const MOST_WAITS = 5000;

export class TimelineFold {
  readonly #spans = new Map<string, Span>();
  readonly #tasks = new Map<string, Attempt>();
  readonly #workers = new Map<string, string>();
  /** The task that each job is running, and the wait that it is in. */
  readonly #current = new Map<string, Attempt>();
  readonly #waits = new Map<string, Wait>();
  readonly #bars = new TaskBars();
  #waitCount = 0;
  #failedCount = 0;

  add(event: Event): void {
    const { step, step_run_id: run, name, at } = event;
    if (name === 'step.adopted') this.#noteReused(event);
    if (step === undefined || run === undefined) return;
    const span = this.#spans.get(run) ?? this.#newSpan(run, step, at);
    if (span === undefined) return;
    if (name === 'step.started') span.start = at;
    if (event.name === 'job.leased') this.#noteLease(event);
    if (isWaiting(event)) this.#beginWait(event, span);
    if (event.name === 'task.started' || event.name === 'task.done') this.#noteTask(event, span);
    const end = event.iteration_id === undefined ? ENDS[name as keyof typeof ENDS] : undefined;
    if (end === undefined) return;
    span.end = at;
    // A loop's own end comes before its step's; a failure stays one.
    if (span.status !== 'failed') span.status = end;
  }

  spans(): Span[] {
    return [...this.#spans.values()];
  }

  #noteReused({ step = '', at }: Event): void {
    const span = this.#newSpan(step, step, at);
    if (span !== undefined) Object.assign(span, { end: at, status: 'reused' });
  }

  #newSpan(id: string, step: string, start: number): Span | undefined {
    if (this.#spans.size >= MOST_SPANS) return undefined;
    const span: Span = { step, id, start, status: 'running', tasks: [], waits: [] };
    this.#spans.set(id, span);
    return span;
  }

  #noteLease(event: EventOf<'job.leased'>): void {
    const job = jobOf(event);
    this.#workers.set(job, event.data.worker);
    this.#bars.resume(job, event.at);
    const wait = this.#waits.get(job);
    if (wait !== undefined) wait.end = event.at;
    this.#waits.delete(job);
  }

  #beginWait(event: Event, span: Span): void {
    this.#bars.park(jobOf(event), event.at);
    if (this.#waitCount++ >= MOST_WAITS) return;
    const wait: Wait = { start: event.at };
    (this.#current.get(jobOf(event)) ?? span).waits.push(wait);
    this.#waits.set(jobOf(event), wait);
  }

  #noteTask(event: EventOf<'task.started' | 'task.done'>, span: Span): void {
    const id = event.task_run_id;
    if (id === undefined) return;
    const task = this.#tasks.get(id) ?? this.#newTask(id, event, span);
    if (task === undefined) this.#noteInBars(id, event, span);
    else if (event.name === 'task.started') this.#current.set(jobOf(event), task);
    else this.#end(task, event);
  }

  #end(task: Attempt, event: EventOf<'task.done'>): void {
    this.#current.delete(jobOf(event));
    const { outcome } = event.data;
    task.end = event.at;
    task.failed = outcome.status === 'error';
    if (outcome.error) task.error = outcome.error.message;
  }

  /** A failure stays in sight among many tasks. */
  #noteInBars(id: string, event: EventOf<'task.started' | 'task.done'>, span: Span): void {
    const job = jobOf(event);
    if (event.name === 'task.started') {
      this.#bars.begin(job, event.at, span);
      return;
    }
    this.#bars.end(job, event.at, span);
    if (event.data.outcome.status !== 'error' || this.#failedCount++ >= MOST_TASKS) return;
    const task = taskOf(id, event);
    this.#end(task, event);
    span.tasks.push(task);
  }

  #newTask(id: string, event: Event, span: Span): Attempt | undefined {
    if (this.#tasks.size >= MOST_TASKS) return undefined;
    const task = taskOf(id, event, this.#workers.get(jobOf(event)));
    this.#tasks.set(id, task);
    span.tasks.push(task);
    return task;
  }
}

const taskOf = (id: string, event: Event, worker?: string): Attempt => ({
  id,
  label: event.task_label ?? '',
  attempt: event.attempt ?? 1,
  worker,
  start: event.at,
  failed: false,
  waits: [],
});

const jobOf = ({ iteration_id, step_run_id }: Event): string => iteration_id ?? step_run_id!;

export function timelineOf(events: Iterable<Event>): Span[] {
  const fold = new TimelineFold();
  for (const event of events) fold.add(event);
  return fold.spans();
}

/** It is parked, or a person must allow it first. */
function isWaiting(event: Event): boolean {
  return event.name === 'job.parked' || (event.name === 'step.scheduled' && event.data.held !== undefined);
}
