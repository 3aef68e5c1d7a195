/**
 * Events: the only truth about an execution.
 *
 * Owns: the names, and the compact form that decide produces and the log keeps. Does not own: the contents of `data`
 * (event-data.ts), the full envelope that readers receive (envelope.ts), and how events of earlier versions are read
 * (upcasters.ts).
 */
import type { EventData } from './event-data.ts';
import type { JsonObject } from './json.ts';

export type Entity =
  | 'playbook'
  | 'workflow'
  | 'step'
  | 'task'
  | 'loop'
  | 'next'
  | 'token'
  | 'job'
  | 'ctx'
  | 'execution';
export type EventStatus = 'in_progress' | 'success' | 'error' | 'paused';
export type Source = 'server' | 'worker';

/** name → source, subject and status. */
export const EVENTS = {
  'playbook.execution.requested': ['server', 'playbook', 'in_progress'],
  'playbook.request.evaluated': ['server', 'playbook', 'in_progress'],
  'workflow.started': ['server', 'workflow', 'in_progress'],
  'token.enqueued': ['server', 'token', 'in_progress'],
  'token.denied': ['server', 'token', 'success'],
  'token.dropped': ['server', 'token', 'success'],
  'step.adopted': ['server', 'step', 'success'],
  'step.scheduled': ['server', 'step', 'in_progress'],
  'step.started': ['worker', 'step', 'in_progress'],
  'step.done': ['worker', 'step', 'success'],
  'step.failed': ['worker', 'step', 'error'],
  'step.skipped': ['server', 'step', 'success'],
  'step.cancelled': ['server', 'step', 'error'],
  'step.approved': ['server', 'step', 'in_progress'],
  'step.rejected': ['server', 'step', 'in_progress'],
  'next.evaluated': ['server', 'next', 'success'],
  'loop.started': ['server', 'loop', 'in_progress'],
  'loop.iteration.started': ['server', 'loop', 'in_progress'],
  'loop.iteration.done': ['worker', 'loop', 'success'],
  'loop.iteration.failed': ['worker', 'loop', 'error'],
  'loop.results.stored': ['server', 'loop', 'in_progress'],
  'loop.done': ['worker', 'loop', 'success'],
  'job.leased': ['server', 'job', 'in_progress'],
  'job.released': ['worker', 'job', 'in_progress'],
  'job.expired': ['server', 'job', 'error'],
  'job.parked': ['worker', 'job', 'paused'],
  'job.woken': ['server', 'job', 'in_progress'],
  'task.started': ['worker', 'task', 'in_progress'],
  'task.done': ['worker', 'task', 'success'],
  'ctx.patched': ['server', 'ctx', 'success'],
  'execution.driven': ['server', 'execution', 'in_progress'],
  'execution.needs_human': ['server', 'execution', 'paused'],
  'execution.paused': ['server', 'execution', 'paused'],
  'execution.resumed': ['server', 'execution', 'in_progress'],
  'execution.cancelled': ['server', 'execution', 'error'],
  'workflow.finished': ['server', 'workflow', 'success'],
  'playbook.processed': ['server', 'playbook', 'success'],
} as const satisfies Record<string, readonly [Source, Entity, EventStatus]>;

export type EventName = keyof typeof EVENTS;

/** Every event has every field, in the order of `newEvent`: V8 reads objects of one shape fastest. */
interface Place {
  /** ms since the epoch. */
  at: number;
  step: string | undefined;
  step_run_id: string | undefined;
  iteration_id: string | undefined;
  task_run_id: string | undefined;
  task_label: string | undefined;
  attempt: number | undefined;
  fence: number | undefined;
}

/** The events of these names; `name` determines the type of `data`. */
export type EventOf<N extends EventName> = { [K in N]: { name: K; data: EventData[K] } & Place }[N];
export type Event = EventOf<EventName>;

/** An event from outside, of any version. */
export interface RawEvent extends Place {
  name: string;
  data: JsonObject | undefined;
}

/** What an event is about. */
type About = Partial<Omit<Place, 'at'>>;

/** May be omitted if the event may have no data. */
type DataOf<N extends EventName> = undefined extends EventData[N]
  ? [data?: EventData[N]]
  : [data: EventData[N]];

export function newEvent<N extends EventName>(
  name: N,
  at: number,
  about: About,
  ...data: DataOf<N>
): EventOf<N>;
export function newEvent(name: EventName, at: number, about: About, data?: Event['data']) {
  const { step, step_run_id, iteration_id, task_run_id, task_label, attempt, fence } = about;
  return { name, at, step, step_run_id, iteration_id, task_run_id, task_label, attempt, fence, data };
}

/** The same for a job: most events of a long log are about jobs. */
export function jobEvent<N extends EventName>(
  name: N,
  at: number,
  job: { id: string; run: string; step: string; loop: string | null },
  fence: number | undefined,
  ...data: DataOf<N>
): EventOf<N>;
export function jobEvent(
  name: EventName,
  at: number,
  job: { id: string; run: string; step: string; loop: string | null },
  fence: number | undefined,
  data?: Event['data'],
) {
  return {
    name,
    at,
    step: job.step,
    step_run_id: job.run,
    iteration_id: job.loop === null ? undefined : job.id,
    task_run_id: undefined,
    task_label: undefined,
    attempt: undefined,
    fence,
    data,
  };
}

/** The data of any event as plain JSON, for code that only passes it on. */
export function plainData({ data }: Event): JsonObject | undefined {
  return data as unknown as JsonObject | undefined;
}

/** A job is the pipeline of an iteration, or of a step run without a loop, and has the same id. */
export function jobIdOf(event: Event): string | undefined {
  if (event.fence === undefined) return undefined;
  return event.iteration_id ?? event.step_run_id;
}
