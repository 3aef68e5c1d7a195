/**
 * The full form of an event, as external readers receive it.
 *
 * Invariant: every field that the envelope has and the event lacks can be derived from name, ids and seq.
 */
import {
  type Entity,
  EVENTS,
  type Event,
  type EventName,
  type EventStatus,
  jobIdOf,
  plainData,
  type Source,
} from './event.ts';
import type { JsonObject } from './json.ts';
import { LOG_VERSION, readEvent } from './read-event.ts';

export interface Envelope {
  /** The version of the log; default: 1. */
  version?: number;
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
  const envelope: Envelope = {
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
    data: plainData(event) ?? {},
  };
  if (LOG_VERSION > 1) envelope.version = LOG_VERSION;
  return envelope;
}

/** The event from which an envelope was made. */
export function fromEnvelope(envelope: Envelope): Event {
  const { name, timestamp, data, version } = envelope;
  const raw = {
    name,
    at: Date.parse(timestamp),
    step: envelope.step ?? undefined,
    step_run_id: envelope.step_run_id ?? undefined,
    iteration_id: envelope.iteration_id ?? undefined,
    task_run_id: envelope.task_run_id ?? undefined,
    task_label: envelope.task_label ?? undefined,
    attempt: envelope.attempt ?? undefined,
    fence: envelope.fence ?? undefined,
    data: Object.keys(data).length > 0 ? data : undefined,
  };
  return readEvent(raw, version);
}

function statusOf(event: Event): EventStatus {
  return isFailed(event) ? 'error' : EVENTS[event.name][2];
}

function isFailed(event: Event): boolean {
  switch (event.name) {
    case 'task.done':
      return event.data.outcome.status === 'error';
    case 'workflow.finished':
    case 'playbook.processed':
      return event.data.status !== 'succeeded';
    default:
      return false;
  }
}

function entityId(event: Event, entity: Entity, executionId: string): string {
  if (entity === 'token') return tokenId(event);
  if (entity === 'task') return event.task_run_id ?? '';
  if (entity === 'loop' || entity === 'job') return event.iteration_id ?? event.step_run_id ?? '';
  if (entity === 'step' || entity === 'next') return event.step_run_id ?? event.step ?? '';
  return executionId;
}

function tokenId(event: Event): string {
  if (event.name === 'token.denied') return event.data.tokens[0] ?? '';
  return event.name === 'token.enqueued' || event.name === 'token.dropped' ? event.data.token : '';
}
