import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Span } from './run-source.ts';
import { timeScale } from './time-scale.ts';

const span = (start: number, end: number): Span => ({
  step: 's',
  id: `s.${start}`,
  start,
  end,
  status: 'succeeded',
  tasks: [],
  waits: [],
});

test('a long wait takes little space, and a short one its own', () => {
  const { toPlace, breaks } = timeScale(
    [span(0, 100), span(104, 200), span(1_000_200, 1_000_300)],
    0,
    1_000_300,
  );
  expect(breaks).toHaveLength(1);
  expect(breaks[0]!.ms).toBe(1_000_000);
  expect(breaks[0]!.to - breaks[0]!.from).toBeLessThan(0.05);
  expect(toPlace(100)).toBeGreaterThan(0.3);
  expect(toPlace(104)).toBeGreaterThan(toPlace(100));
  expect(toPlace(1_000_300)).toBe(1);
});

test('the wait between two attempts of a step is idle too', () => {
  const attempt = (start: number) => ({
    id: '',
    label: '',
    attempt: 1,
    start,
    end: start + 10,
    failed: true,
    waits: [],
  });
  const retried: Span = { ...span(0, 5010), tasks: [attempt(0), attempt(5000)] };
  expect(timeScale([retried], 0, 5010).breaks).toMatchObject([{ ms: 4990 }]);
});

test('a task that waits for approval does not work', () => {
  const asking = (waits: Span['waits']): Span => ({
    ...span(0, 5010),
    tasks: [{ id: '', label: '', attempt: 1, start: 0, end: 5010, failed: false, waits }],
  });
  expect(timeScale([asking([])], 0, 5010).breaks).toEqual([]);
  expect(timeScale([asking([{ start: 10, end: 5000 }])], 0, 5010).breaks).toMatchObject([{ ms: 4990 }]);
});

test('positions grow with time, from 0 to 1, and map back to it', () => {
  const spans = fc.array(fc.tuple(fc.nat(10_000), fc.nat(500)).map(([at, long]) => span(at, at + long)));
  fc.assert(
    fc.property(spans, fc.array(fc.nat(10_500), { minLength: 2 }), (all, times) => {
      const { toPlace, toTime } = timeScale(all, 0, 10_500);
      const sorted = [...times].sort((a, b) => a - b);
      const places = sorted.map(toPlace);
      expect([...places].sort((a, b) => a - b)).toEqual(places);
      expect([toPlace(0), toPlace(10_500)]).toEqual([0, 1]);
      for (const time of times) expect(toTime(toPlace(time))).toBeCloseTo(time, 3);
    }),
  );
});
