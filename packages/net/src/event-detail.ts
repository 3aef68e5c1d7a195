/** What an event says beside its name and place, in a few words for people. */
import type { Event } from './event.ts';
import { encodeJson, type Json, type JsonObject } from './json.ts';
import type { Outcome } from './outcome.ts';

export function eventDetail({ name, data = {} }: Event): string {
  const error = data.error as { message?: string } | undefined;
  switch (name) {
    case 'task.done':
      return taskDetail(data);
    case 'next.evaluated':
      return `→ ${(data.selected as string[]).join(', ') || 'nowhere'}`;
    case 'loop.started':
      return `${data.total} iterations, ${data.max_in_flight} at a time`;
    case 'workflow.finished':
      return [data.status, error?.message].filter(Boolean).join(': ');
    default:
      return error?.message ?? textOf(data);
  }
}

function taskDetail(data: JsonObject): string {
  const { outcome, directive } = data as unknown as { outcome: Outcome; directive: { do: string } };
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
