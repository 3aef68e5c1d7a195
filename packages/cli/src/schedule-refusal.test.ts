import { Problem } from '@woof/protocol';
import { expect, test } from 'vitest';
import { scheduleRefusal } from './schedule-refusal.ts';

test.each([
  [
    'timezone: there is no time zone "Berlin"; did you mean "Europe/Berlin"?',
    '--tz: there is no time zone "Berlin"',
  ],
  ['cron "61 * * * *", column 1: 61 is no minute', '--cron "61 * * * *", column 1'],
  ['the body "catch_up": Invalid option', '--catch-up: Invalid option'],
  ['the body "schedule_id": Invalid string', '--name: Invalid string'],
])('%s names the flag', (detail, said) => {
  const refusal = scheduleRefusal(new Problem('request/invalid', detail), 'x');
  expect(refusal).toMatchObject({ message: expect.stringContaining(said), exitCode: 2 });
});

test('a name that is taken: how to continue', () => {
  const refusal = scheduleRefusal(new Problem('request/conflict', 'a schedule "x" already exists'), 'x');
  expect(refusal).toMatchObject({ fix: expect.stringContaining('--replace') });
});

test('any other error stays unchanged', () => {
  for (const error of [
    new Error('cron'),
    new Problem('auth/role', 'cron'),
    new Problem('request/invalid', 'the body: no'),
  ])
    expect(scheduleRefusal(error, 'x')).toBe(error);
});
