/**
 * What a schedule does now: which due times start a run, which are missed, skipped or queued. Pure.
 *
 * A time is missed when it is more than a minute ago. The catch-up policy says which missed times run after all; the
 * overlap policy then says what each time does while an earlier run is running.
 */
import { type Cron, isCronFault, parseCron, type Zone, zoneOf } from '@woof/net';
import { scheduledId } from '../ids.ts';
import { goesOn, type RunState, type Schedule, type ScheduledRun, withRun, withRuns } from './schedule.ts';
import { timesAfter } from './times.ts';

/** A server that restarts, or is busy, still honours the times of the last minute. */
const ON_TIME_MS = 60_000;
/** `catch_up: all` runs at most this many missed times, the newest. */
export const MOST_CAUGHT_UP = 100;
/** Older times are forgotten. */
const LONGEST_LOOK_BACK_MS = 400 * 86_400_000;

export interface Settled {
  schedule: Schedule;
  /** Oldest first. */
  starts: ScheduledRun[];
}

/** The schedule must have been validated: an invalid one is never due. */
export function nextTimes(
  schedule: Pick<Schedule, 'cron' | 'timezone'>,
  after: number,
  count: number,
): number[] {
  const when = whenOf(schedule);
  const times: number[] = [];
  if (when === undefined) return times;
  for (const time of timesAfter(when.cron, when.zone, after)) {
    if (times.push(time) >= count) break;
  }
  return times;
}

/** A schedule that is created again under the same name has its own runs. */
export function scheduledRunId(
  schedule: Pick<Schedule, 'schedule_id' | 'created_at'>,
  dueAt: number,
): string {
  return scheduledId(`${schedule.schedule_id}\n${schedule.created_at}`, dueAt);
}

/** The times from `since` to `until`, inclusive; undefined if there are more than `most`. */
export function timesBetween(
  schedule: Pick<Schedule, 'cron' | 'timezone'>,
  { since, until }: { since: number; until: number },
  most: number,
): number[] | undefined {
  const when = whenOf(schedule);
  const times: number[] = [];
  if (when === undefined) return times;
  for (const time of timesAfter(when.cron, when.zone, since - 1, until)) {
    if (times.push(time) > most) return undefined;
  }
  return times;
}

/** Undefined: there is nothing to do. */
export function settle(schedule: Schedule, now: number): Settled | undefined {
  if (schedule.paused) return undefined;
  const times = dueTimes(schedule, now);
  const promoted = promote(schedule, now);
  if (times.length === 0 && promoted.length === 0) return undefined;
  const current = promoted.reduce(withRun, schedule);
  const { run, missed } = caughtUp(schedule, times, now);
  const decided = overlapping(current, run, now);
  const next = withRuns(current, [...missedRun(schedule, missed, now), ...decided]);
  return {
    schedule: { ...next, settled_until: times.at(-1) ?? schedule.settled_until },
    starts: [...promoted, ...decided.filter((one) => one.state === 'starting')],
  };
}

function whenOf({
  cron: text,
  timezone,
}: Pick<Schedule, 'cron' | 'timezone'>): { cron: Cron; zone: Zone } | undefined {
  const cron = parseCron(text);
  const zone = zoneOf(timezone);
  return isCronFault(cron) || zone === undefined ? undefined : { cron, zone };
}

function dueTimes(schedule: Schedule, now: number): number[] {
  const when = whenOf(schedule);
  if (when === undefined || schedule.settled_until >= now) return [];
  const after = Math.max(schedule.settled_until, now - LONGEST_LOOK_BACK_MS);
  return [...timesAfter(when.cron, when.zone, after, now)];
}

function caughtUp({ catch_up }: Schedule, times: number[], now: number): { run: number[]; missed: number[] } {
  const late = times.filter((time) => now - time > ON_TIME_MS);
  const onTime = times.slice(late.length);
  const wanted = catch_up === 'all' ? MOST_CAUGHT_UP : catch_up === 'last' && onTime.length === 0 ? 1 : 0;
  const from = Math.max(0, late.length - wanted);
  return { run: [...late.slice(from), ...onTime], missed: late.slice(0, from) };
}

/** Many missed times become one entry. */
function missedRun(schedule: Schedule, missed: number[], now: number): ScheduledRun[] {
  if (missed.length === 0) return [];
  const times = missed.length === 1 ? 'this time' : `${missed.length} times up to this one`;
  const note = `${times} passed while no server was running`;
  return [{ ...runOf(schedule, missed.at(-1)!, 'missed', now), note }];
}

/** A queued run begins when none is running. */
function promote({ runs }: Schedule, now: number): ScheduledRun[] {
  const queued = runs.some(goesOn) ? undefined : runs.find((run) => run.state === 'queued');
  return queued === undefined ? [] : [{ ...queued, state: 'starting', at: now }];
}

function overlapping(schedule: Schedule, times: number[], now: number): ScheduledRun[] {
  const { overlap, runs } = schedule;
  let busy = runs.some(goesOn);
  let queued = runs.some((run) => run.state === 'queued');
  const stateOf = (time: number): RunState => {
    // With several times at once, the others would be started only to be cancelled.
    if (overlap === 'cancel') return time === times.at(-1) ? 'starting' : 'skipped';
    if (overlap === 'allow' || !busy) return 'starting';
    return overlap === 'queue' && !queued ? 'queued' : 'skipped';
  };
  return times.map((time) => {
    const state = stateOf(time);
    busy ||= state === 'starting';
    queued ||= state === 'queued';
    return runOf(schedule, time, state, now);
  });
}

function runOf(schedule: Schedule, due_at: number, state: RunState, at: number): ScheduledRun {
  const { schedule_id, created_at } = schedule;
  return { due_at, execution_id: scheduledRunId({ schedule_id, created_at }, due_at), state, at };
}
