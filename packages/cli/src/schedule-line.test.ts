import { expect, test } from 'vitest';
import { timeIn } from './schedule-line.ts';

test.each([
  ['UTC', '2026-03-29 04:00 UTC'],
  ['Europe/Berlin', '2026-03-29 06:00 GMT+2'],
  ['America/St_Johns', '2026-03-29 01:30 GMT-2:30'],
])('a time in %s', (zone, expected) => {
  expect(timeIn(Date.UTC(2026, 2, 29, 4), zone)).toBe(expected);
});
