import type { Event } from '@woof/net';
import { expect, it } from 'vitest';
import { timeScale } from './time-scale.ts';
import { timelineOf } from './timeline-fold.ts';

const COUNT = 20_000;

/** A loop whose iterations run one after the other, each for `ms`, with a rest of one millisecond in between. */
function* iterations(ms: number, isFailed: (index: number) => boolean): Iterable<Event> {
  const of = (index: number, more: object) =>
    ({
      step: 's',
      step_run_id: 's.1',
      iteration_id: `s.1/${index}`,
      task_run_id: `s.1/${index}/t.1`,
      task_label: 't',
      ...more,
    }) as unknown as Event;
  yield { name: 'step.started', at: 0, step: 's', step_run_id: 's.1' } as unknown as Event;
  for (let index = 0; index < COUNT; index++) {
    const at = index * (ms + 1);
    yield of(index, { name: 'task.started', at });
    const status = isFailed(index) ? 'error' : 'ok';
    yield of(index, { name: 'task.done', at: at + ms, data: { outcome: { status } } });
  }
  const end = COUNT * (ms + 1);
  yield { name: 'loop.done', at: end, step: 's', step_run_id: 's.1', data: {} } as unknown as Event;
}

it('a long loop is drawn to its end, with all of its failures and a bounded number of bars', () => {
  const [span] = timelineOf(iterations(9, (index) => index % 4000 === 3999));
  expect(span!.tasks.length).toBeLessThan(6000);
  expect(span!.tasks.reduce((sum, { count = 1, failed }) => sum + (failed ? 0 : count), 0)).toBeGreaterThan(
    COUNT - 10,
  );
  expect(span!.tasks.filter(({ failed }) => failed).map(({ end }) => end)).toEqual(
    [3999, 7999, 11_999, 15_999, 19_999].map((index) => index * 10 + 9),
  );
  const { breaks, toPlace } = timeScale([span!], 0, COUNT * 10);
  expect(breaks).toEqual([]);
  expect(toPlace(COUNT * 5)).toBeCloseTo(0.5, 2);
});

it('a long pause among many tasks stays one break', () => {
  const events = [...iterations(9, () => false)].map((event) =>
    event.at < COUNT * 8 ? event : { ...event, at: event.at + 1_000_000 },
  );
  const { breaks } = timeScale(timelineOf(events), 0, COUNT * 10 + 1_000_000);
  expect(breaks.map(({ ms }) => Math.round(ms / 1000))).toEqual([1000]);
});
