/** An event on one line, for people. */
import type { Event, JsonObject, Outcome } from '@woof/net';
import { harmless, type Painter, preview, shorten } from './terminal.ts';

export function describeEvent(event: Event, seq: number, paint: Painter): string {
  const time = paint(new Date(event.at).toISOString().slice(11, 23), 'dim');
  const where = harmless(event.task_run_id ?? event.iteration_id ?? event.step_run_id ?? event.step ?? '');
  const said = shorten(harmless(detail(event)), 100);
  const name = /failed|expired|cancelled/.test(event.name) ? paint(event.name, 'red') : event.name;
  const padding = ' '.repeat(Math.max(0, 28 - event.name.length));
  return `${String(seq).padStart(5)}  ${time}  ${name}${padding}  ${where}${said && `  ${paint(said, 'dim')}`}`;
}

function detail({ name, data = {} }: Event): string {
  const error = data.error as { message?: string } | undefined;
  switch (name) {
    case 'task.done':
      return taskDetail(data);
    case 'next.evaluated':
      return `→ ${(data.selected as string[]).join(', ') || 'nowhere'}`;
    case 'loop.started':
      return `${data.total} iterations, ${data.max_in_flight} at once`;
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
