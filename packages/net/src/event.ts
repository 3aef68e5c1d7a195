/**
 * Events: the only truth about an execution.
 *
 * Owns: the names, the compact form that decide gives and the log keeps, and the full envelope that readers get.
 * Invariant: every field that the envelope has and the compact form lacks can be derived from name, ids and seq.
 */
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
type Source = 'server' | 'worker';

/** name → who speaks, about what, and how it stands. */
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

/** Every event has every field, in the order of `newEvent`: objects of one shape are what V8 reads fastest. */
export interface Event {
  name: EventName;
  /** ms since the epoch. */
  at: number;
  step: string | undefined;
  step_run_id: string | undefined;
  iteration_id: string | undefined;
  task_run_id: string | undefined;
  task_label: string | undefined;
  attempt: number | undefined;
  fence: number | undefined;
  data: JsonObject | undefined;
}

/** What an event speaks of. */
type About = Partial<Omit<Event, 'name' | 'at' | 'data'>>;

export function newEvent(name: EventName, at: number, about: About, data?: JsonObject): Event {
  const { step, step_run_id, iteration_id, task_run_id, task_label, attempt, fence } = about;
  return { name, at, step, step_run_id, iteration_id, task_run_id, task_label, attempt, fence, data };
}

/** The same for a job: most events of a long log are of jobs. */
export function jobEvent(
  name: EventName,
  at: number,
  job: { id: string; run: string; step: string; loop: string | null },
  fence: number | undefined,
  data?: JsonObject,
): Event {
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

export interface Envelope {
  event_id: string;
  execution_id: string;
  seq: number;
  timestamp: string;
  source: Source;
  name: EventName;
  entity: Entity;
  entity_id: string;
  status: EventStatus;
  step: string | null;
  step_run_id: string | null;
  iteration_id: string | null;
  task_run_id: string | null;
  task_label: string | null;
  attempt: number | null;
  job_id: string | null;
  fence: number | null;
  data: JsonObject;
}

export function toEnvelope(event: Event, executionId: string, seq: number): Envelope {
  const [source, entity] = EVENTS[event.name];
  return {
    event_id: `${executionId}:${seq}`,
    execution_id: executionId,
    seq,
    timestamp: new Date(event.at).toISOString(),
    source,
    name: event.name,
    entity,
    entity_id: entityId(event, entity, executionId),
    status: statusOf(event),
    step: event.step ?? null,
    step_run_id: event.step_run_id ?? null,
    iteration_id: event.iteration_id ?? null,
    task_run_id: event.task_run_id ?? null,
    task_label: event.task_label ?? null,
    attempt: event.attempt ?? null,
    job_id: jobIdOf(event) ?? null,
    fence: event.fence ?? null,
    data: event.data ?? {},
  };
}

/** A job is the pipeline of an iteration, or of a step run without a loop; its id is theirs. */
export function jobIdOf(event: Event): string | undefined {
  if (event.fence === undefined) return undefined;
  return event.iteration_id ?? event.step_run_id;
}

function statusOf(event: Event): EventStatus {
  const failed =
    (event.name === 'task.done' && (event.data?.outcome as JsonObject | undefined)?.status === 'error') ||
    ((event.name === 'workflow.finished' || event.name === 'playbook.processed') &&
      event.data?.status !== 'succeeded');
  return failed ? 'error' : EVENTS[event.name][2];
}

function entityId(event: Event, entity: Entity, executionId: string): string {
  if (entity === 'token')
    return String(event.data?.token ?? (event.data?.tokens as string[] | undefined)?.[0] ?? '');
  if (entity === 'task') return event.task_run_id ?? '';
  if (entity === 'loop' || entity === 'job') return event.iteration_id ?? event.step_run_id ?? '';
  if (entity === 'step' || entity === 'next') return event.step_run_id ?? event.step ?? '';
  return executionId;
}
