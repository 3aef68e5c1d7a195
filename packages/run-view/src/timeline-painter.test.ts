import { expect, test } from 'vitest';
import { barAt, barPlace } from './timeline-painter.ts';

test('a short bar at the end stays inside the picture', () => {
  expect(barPlace(100, 100, 100)).toEqual({ left: 97, width: 3 });
  expect(barPlace(10, 10, 100)).toEqual({ left: 10, width: 3 });
  expect(barPlace(10, 60, 100)).toEqual({ left: 10, width: 50 });
});

test('the text of a bar says when it works and when it waits', () => {
  const task = { id: 'a.1/t.1', label: 't', attempt: 1, start: 0, end: 90, failed: false };
  const span = { step: 'a', id: 'a.1', start: 0, end: 100, status: 'succeeded' as const, waits: [] };
  const row = { step: 'a', spans: [{ ...span, tasks: [{ ...task, waits: [{ start: 10, end: 80 }] }] }] };
  const run = 'a.1: succeeded, 100 ms\nt, attempt 1: ok, 90 ms';
  expect(barAt(row, 5, 100)).toBe(run);
  expect(barAt(row, 40, 100)).toBe(`${run}\nwaiting, 70 ms`);
  expect(barAt(row, 85, 100)).toBe(run);
});
