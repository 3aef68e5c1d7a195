/** What an event says besides its name and place, in a few words for people. */
import { type Event, plainData } from './event.ts';
import type { EventData } from './event-data.ts';
import { encodeJson, type Json, type JsonObject } from './json.ts';

export function eventDetail(event: Event): string {
  switch (event.name) {
    case 'task.done':
      return taskDetail(event.data);
    case 'next.evaluated':
      return `→ ${event.data.selected.join(', ') || 'nowhere'}`;
    case 'loop.started':
      return `${event.data.total} iterations, ${event.data.max_in_flight} at a time`;
    case 'workflow.finished':
      return [event.data.status, event.data.error?.message].filter(Boolean).join(': ');
    case 'step.failed':
    case 'loop.iteration.failed':
      return event.data.error.message;
    default:
      return textOf(plainData(event) ?? {});
  }
}

function taskDetail({ outcome, directive }: EventData['task.done']): string {
  const said = outcome.status === 'error' ? `error: ${outcome.error?.message}` : preview(outcome.result, 60);
  return `${directive.do}  ${said}`;
}

function textOf(data: JsonObject): string {
  if (typeof data.because === 'string') return data.because;
  if (typeof data.reason === 'string') return data.reason;
  return Object.keys(data).length === 0 ? '' : preview(data, 100);
}

function preview(value: Json | undefined, limit: number): string {
  const text = value === undefined ? '' : encodeJson(value);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
