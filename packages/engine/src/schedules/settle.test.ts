import { describe, expect, it } from 'vitest';
import type { RunState, Schedule } from './schedule.ts';
import { MOST_CAUGHT_UP, nextTimes, settle } from './settle.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-05-04T12:00:00Z');

function schedule(more: Partial<Schedule>): Schedule {
  return {
    schedule_id: 'tidy',
    cron: '0 * * * *',
    timezone: 'UTC',
    catch_up: 'skip',
    overlap: 'allow',
    path: 'jobs/tidy',
    payload: {},
    paused: false,
    created_at: NOON - 86_400_000,
    settled_until: NOON - 60 * MINUTE,
    runs: [],
    ...more,
  };
}

/** Oldest first: the time on the clock, and what happened to it. */
function outcome(before: Schedule, now: number): string[] | undefined {
  const after = settle(before, now)?.schedule;
  return after?.runs
    .map((run) => `${new Date(run.due_at).toISOString().slice(11, 16)} ${run.state}`)
    .reverse();
}

const running = (state: RunState = 'started') => ({
  due_at: NOON - 60 * MINUTE,
  execution_id: 'before',
  state,
  at: NOON - 60 * MINUTE,
});

describe('a due time', () => {
  it('starts a run, once', () => {
    const first = settle(schedule({}), NOON + 5)!;
    expect(first.starts).toMatchObject([{ due_at: NOON, state: 'starting' }]);
    expect(first.starts[0]!.execution_id).toMatch(/^20260504-120000-[0-9a-z]{8}$/);
    expect(settle(first.schedule, NOON + 10)).toBeUndefined();
    expect(settle(schedule({}), NOON - 1)).toBeUndefined();
  });

  it('starts the same execution wherever it is decided, and another for another schedule', () => {
    const id = (one: Schedule, now: number) => settle(one, now)!.starts[0]!.execution_id;
    expect(id(schedule({}), NOON + 5)).toBe(id(schedule({ overlap: 'skip' }), NOON + 900));
    expect(id(schedule({}), NOON)).not.toBe(id(schedule({ schedule_id: 'tidy2' }), NOON));
    expect(id(schedule({}), NOON)).not.toBe(id(schedule({ created_at: NOON - 5 }), NOON));
  });

  it('passes while the schedule is paused', () => {
    expect(settle(schedule({ paused: true }), NOON + 5)).toBeUndefined();
  });
});

describe('catching up', () => {
  const late = { settled_until: NOON - 240 * MINUTE };

  it.each([
    ['skip', ['11:00 missed', '12:00 starting']],
    ['last', ['11:00 missed', '12:00 starting']],
    ['all', ['09:00 starting', '10:00 starting', '11:00 starting', '12:00 starting']],
  ] as const)('%s, when the last time is now', (catch_up, expected) => {
    expect(outcome(schedule({ ...late, catch_up }), NOON + 30_000)).toEqual(expected);
  });

  it.each([
    ['skip', ['12:00 missed']],
    ['last', ['11:00 missed', '12:00 starting']],
    ['all', ['09:00 starting', '10:00 starting', '11:00 starting', '12:00 starting']],
  ] as const)('%s, when the last time is past', (catch_up, expected) => {
    expect(outcome(schedule({ ...late, catch_up }), NOON + 30 * MINUTE)).toEqual(expected);
  });

  it('says how many were missed', () => {
    expect(settle(schedule(late), NOON + 30 * MINUTE)!.schedule.runs[0]!.note).toBe(
      '4 times up to this one passed while no server was running',
    );
  });

  it('is bounded', () => {
    const year = schedule({ cron: '* * * * *', catch_up: 'all', settled_until: NOON - 365 * 86_400_000 });
    const { starts, schedule: after } = settle(year, NOON)!;
    expect(starts).toHaveLength(MOST_CAUGHT_UP + 2);
    expect(starts.at(-1)!.due_at).toBe(NOON);
    expect(after.settled_until).toBe(NOON);
  });
});

describe('overlapping', () => {
  it.each([
    ['allow', ['11:00 started', '12:00 starting']],
    ['skip', ['11:00 started', '12:00 skipped']],
    ['queue', ['11:00 started', '12:00 queued']],
    ['cancel', ['11:00 started', '12:00 starting']],
  ] as const)('%s', (overlap, expected) => {
    expect(outcome(schedule({ overlap, runs: [running()] }), NOON)).toEqual(expected);
  });

  it.each(['allow', 'skip', 'queue', 'cancel'] as const)('%s starts when none is running', (overlap) => {
    expect(outcome(schedule({ overlap, runs: [running('ended')] }), NOON)).toEqual([
      '11:00 ended',
      '12:00 starting',
    ]);
  });

  it('queues one, and lets it begin when the other has ended', () => {
    const queued = { ...running('queued'), execution_id: 'waits' };
    const more = schedule({ overlap: 'queue', runs: [queued, running()] });
    expect(outcome(more, NOON)).toEqual(['11:00 started', '11:00 queued', '12:00 skipped']);
    const free = schedule({ overlap: 'queue', runs: [queued, running('ended')], settled_until: NOON });
    const { starts, schedule: after } = settle(free, NOON + 5)!;
    expect(starts).toMatchObject([{ execution_id: 'waits', state: 'starting', at: NOON + 5 }]);
    expect(after.settled_until).toBe(NOON);
    expect(settle({ ...free, paused: true }, NOON + 5)).toBeUndefined();
  });

  it.each([
    ['skip', ['11:00 starting', '12:00 skipped']],
    ['queue', ['11:00 starting', '12:00 queued']],
    ['cancel', ['11:00 skipped', '12:00 starting']],
  ] as const)('%s holds among times that are caught up too', (overlap, expected) => {
    const two = schedule({ catch_up: 'all', overlap, settled_until: NOON - 120 * MINUTE });
    expect(outcome(two, NOON)).toEqual(expected);
  });

  it('remembers a bounded number of runs, and those that are running', () => {
    let current = schedule({ overlap: 'skip', runs: [running()] });
    for (let hour = 0; hour < 50; hour += 1) current = settle(current, NOON + hour * 60 * MINUTE)!.schedule;
    expect(current.runs).toHaveLength(21);
    expect(current.runs.at(-1)).toMatchObject({ execution_id: 'before', state: 'started' });
  });
});

it('tells the next times', () => {
  expect(nextTimes({ cron: '@hourly', timezone: 'UTC' }, NOON, 5)).toHaveLength(5);
});
