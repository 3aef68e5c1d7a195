/** Bars over time: a row a step, a line where the shown moment is. */
import { element } from './elements.ts';
import type { Span } from './timeline.ts';
import { lengthOf, wordOf } from './words.ts';

export interface TimelinePicture {
  element: HTMLElement;
  show(at: number): void;
}

const MOST_ROWS = 200;

export function createTimelinePicture(
  spans: readonly Span[],
  [from, to]: readonly [number, number],
  onSeek: (at: number) => void,
): TimelinePicture {
  const length = Math.max(1, to - from);
  const percent = (at: number) => `${(Math.min(Math.max(0, at - from), length) / length) * 100}%`;
  const bar = (kind: string, status: string, start: number, end: number, title: string) => {
    const made = element('i', { class: kind, 'data-status': status, title });
    made.style.left = percent(start);
    made.style.width = `max(2px, ${((end - start) / length) * 100}%)`;
    return made;
  };
  const rows = new Map<string, { track: HTMLElement; row: HTMLElement }>();
  for (const span of spans) {
    if (!rows.has(span.step) && rows.size === MOST_ROWS) continue;
    const { track } = rows.get(span.step) ?? newRow(rows, span.step);
    const end = span.end ?? to;
    const said = `${span.id}: ${wordOf(span.status)}, ${lengthOf(end - span.start)}`;
    track.append(bar('span', span.status, span.start, end, said));
    for (const task of span.tasks) {
      const last = task.end ?? to;
      const tries = task.attempt > 1 ? `, attempt ${task.attempt}` : '';
      const title = `${task.label}${tries}: ${lengthOf(last - task.start)}`;
      track.append(bar('task', task.failed ? 'failed' : 'succeeded', task.start, last, title));
    }
  }
  const cursor = element('i', { class: 'cursor' });
  const scale = element(
    'div',
    { class: 'scale', 'aria-hidden': 'true' },
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => element('span', {}, lengthOf(length * part))),
  );
  const tracks = element('div', { class: 'tracks' }, ...[...rows.values()].map(({ row }) => row));
  const over = element('div', { class: 'over' }, cursor);
  over.addEventListener('click', (event) => {
    const { left, width } = over.getBoundingClientRect();
    onSeek(from + ((event.clientX - left) / Math.max(1, width)) * length);
  });
  return {
    element: element('div', { class: 'timeline' }, tracks, over, scale),
    show(at) {
      cursor.style.left = percent(at);
    },
  };
}

function newRow(rows: Map<string, { track: HTMLElement; row: HTMLElement }>, step: string) {
  const track = element('div', { class: 'track' });
  const row = element('div', { class: 'row' }, element('span', { class: 'label', title: step }, step), track);
  rows.set(step, { track, row });
  return { track, row };
}
