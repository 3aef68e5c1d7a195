/** An event on one line, for people. */
import { type Event, eventDetail } from '@woof/net';
import { harmless, oneLine, type Painter, shorten } from './terminal.ts';

export function describeEvent(event: Event, seq: number, paint: Painter): string {
  const time = paint(new Date(event.at).toISOString().slice(11, 23), 'dim');
  const where = harmless(event.task_run_id ?? event.iteration_id ?? event.step_run_id ?? event.step ?? '');
  const said = shorten(oneLine(eventDetail(event)), 100);
  const name = /failed|expired|cancelled/.test(event.name) ? paint(event.name, 'red') : event.name;
  const padding = ' '.repeat(Math.max(0, 28 - event.name.length));
  return `${String(seq).padStart(5)}  ${time}  ${name}${padding}  ${where}${said && `  ${paint(said, 'dim')}`}`;
}
