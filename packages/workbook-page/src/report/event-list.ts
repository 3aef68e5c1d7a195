/** All events, of which only those in sight have elements. */
import { type Event, eventDetail } from '@woof/net';
import { element } from './elements.ts';
import { lengthOf } from './words.ts';

export interface EventList {
  element: HTMLElement;
  show(seq: number): void;
}

const ROW = 24;
const AROUND = 10;
const IN_SIGHT = 14;

export function createEventList(events: readonly Event[], onSeek: (seq: number) => void): EventList {
  const start = events[0]?.at ?? 0;
  const inner = element('div', { class: 'rows' });
  inner.style.height = `${events.length * ROW}px`;
  const list = element(
    'div',
    { class: 'events', tabindex: '0', role: 'region', 'aria-label': 'Events' },
    inner,
  );
  let current = 0;

  const rowOf = (event: Event, seq: number) => {
    const where = event.task_run_id ?? event.iteration_id ?? event.step_run_id ?? event.step ?? '';
    const row = element(
      'button',
      { type: 'button', class: 'event' },
      element('span', { class: 'seq' }, String(seq)),
      element('span', { class: 'at' }, `+${lengthOf(event.at - start)}`),
      element('span', { class: 'what' }, event.name),
      element('span', { class: 'where' }, where),
      element('span', { class: 'said' }, eventDetail(event)),
    );
    if (/failed|expired|cancelled|rejected/.test(event.name)) row.dataset.bad = '';
    row.style.top = `${(seq - 1) * ROW}px`;
    row.addEventListener('click', () => onSeek(seq));
    return row;
  };
  const mark = (row: HTMLElement, seq: number) => {
    if (seq === current) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
    row.toggleAttribute('data-later', seq > current);
  };
  const drawn = new Map<number, HTMLElement>();
  /** Rows that stay in sight stay the same elements: one of them may have the focus. */
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - AROUND);
    const last = Math.min(events.length, first + IN_SIGHT + 2 * AROUND);
    for (const [seq, row] of drawn) {
      if (seq > first && seq <= last) continue;
      row.remove();
      drawn.delete(seq);
    }
    let next: HTMLElement | null = null;
    for (let seq = last; seq > first; seq--) {
      const row = drawn.get(seq) ?? rowOf(events[seq - 1]!, seq);
      if (!drawn.has(seq)) inner.insertBefore(row, next);
      drawn.set(seq, row);
      mark(row, seq);
      next = row;
    }
  };
  list.addEventListener('scroll', draw, { passive: true });
  return {
    element: list,
    show(seq) {
      current = seq;
      const top = (seq - 1) * ROW;
      const isInSight = top >= list.scrollTop && top + ROW <= list.scrollTop + list.clientHeight;
      if (!isInSight) list.scrollTop = top - (list.clientHeight - ROW) / 2;
      draw();
    },
  };
}
