/**
 * When a cron is due, in a time zone whose clocks change.
 *
 * - A cron for every hour follows real time: a local hour that occurs twice counts twice; a skipped hour does not
 *   count.
 * - Any other cron is due once for each local time that it names: at the first of two occurrences or, if the clocks
 *   skip it, at the moment they go forward.
 */
import type { Cron, Stretch, Zone } from '@woof/net';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** 29 February falls on a given weekday every 28 years, or after 40 if a century year is not a leap year. */
const FAR_MS = 41 * 366 * DAY_MS;

/** ms since the epoch, ascending, each later than `after` and none later than `until`. */
export function* timesAfter(
  cron: Cron,
  zone: Zone,
  after: number,
  until = after + FAR_MS,
): Generator<number, undefined> {
  const hourly = cron.hours.length === 24;
  // Starts a day earlier, to know which local times have already occurred if clocks went back shortly before.
  const from = after - DAY_MS;
  let seen: number | undefined;
  let last = after;
  for (const stretch of zone.stretches(from, until + 1)) {
    if (stretch.to > after) {
      for (const time of timesIn(cron, stretch, hourly ? undefined : seen, after)) {
        if (time > until) return;
        if (time > last) yield time;
        last = Math.max(last, time);
      }
    }
    seen = Math.max(seen ?? 0, stretch.to + stretch.offset);
  }
}

/** `seen`: local times before it have already occurred. */
function* timesIn(
  cron: Cron,
  { from, to, offset }: Stretch,
  seen: number | undefined,
  after: number,
): Iterable<number> {
  const start = from + offset;
  if (seen !== undefined && seen < start) for (const _ of localTimes(cron, seen, start)) yield from;
  const first = Math.max(start, seen ?? start, after + offset);
  for (const local of localTimes(cron, first, to + offset)) yield local - offset;
}

function* localTimes(cron: Cron, from: number, to: number): Iterable<number> {
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) {
    if (!isDay(cron, day)) continue;
    for (const hour of cron.hours) {
      for (const minute of cron.minutes) {
        const local = day + hour * HOUR_MS + minute * MINUTE_MS;
        if (local >= from && local < to) yield local;
      }
    }
  }
}

function isDay(cron: Cron, local: number): boolean {
  const date = new Date(local);
  if (!cron.months.has(date.getUTCMonth() + 1)) return false;
  const isLast = cron.lastDay && new Date(local + DAY_MS).getUTCDate() === 1;
  const byDay = isLast || cron.days.has(date.getUTCDate());
  const byWeekday = cron.weekdays.has(date.getUTCDay());
  return cron.either ? byDay || byWeekday : byDay && byWeekday;
}
