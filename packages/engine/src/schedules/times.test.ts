import { type Cron, isCronFault, parseCron, Zone } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTimes } from './settle.ts';
import { timesAfter } from './times.ts';

const MINUTE = 60_000;

function next(cron: string, timezone: string, after: string, count: number): string[] {
  return nextTimes({ cron, timezone }, Date.parse(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  );
}

describe('times of a cron', () => {
  it('are later than the given time', () => {
    expect(next('0 6 * * 1-5', 'UTC', '2026-01-02T06:00Z', 3)).toEqual([
      '2026-01-05T06:00',
      '2026-01-06T06:00',
      '2026-01-07T06:00',
    ]);
    expect(next('* * * * *', 'UTC', '2026-01-02T06:00:30.500Z', 1)).toEqual(['2026-01-02T06:01']);
  });

  it('keep the local time over a change of clocks', () => {
    expect(next('0 6 * * *', 'Europe/Berlin', '2026-03-27T12:00Z', 3)).toEqual([
      '2026-03-28T05:00',
      '2026-03-29T04:00',
      '2026-03-30T04:00',
    ]);
    expect(next('0 6 * * *', 'America/New_York', '2026-10-31T00:00Z', 2)).toEqual([
      '2026-10-31T10:00',
      '2026-11-01T11:00',
    ]);
  });

  it('that the clocks skip come once, when they go forward', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(next('*/10 2 8 3 *', 'America/New_York', '2026-03-01T00:00Z', 1)).toEqual(['2026-03-08T07:00']);
    expect(next('15,45 2,3 29 3 *', 'Europe/Berlin', '2026-03-29T00:00Z', 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-29T01:15',
      '2026-03-29T01:45',
    ]);
  });

  it('that come twice count the first time', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    // Between the two.
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:45Z', 1)).toEqual(['2026-10-26T01:30']);
    expect(next('30 1 1 11 *', 'America/New_York', '2026-10-31T00:00Z', 1)).toEqual(['2026-11-01T05:30']);
  });

  it('of every hour follow real time', () => {
    expect(next('30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 2)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:30',
    ]);
    expect(next('30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      '2026-10-25T02:30',
    ]);
  });

  it('handle leap days, ends of months, and either day', () => {
    expect(next('0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', 1)).toEqual(['2104-02-29T00:00']);
    expect(next('0 0 29 2 */7', 'UTC', '2026-01-01T00:00Z', 1)).toEqual(['2032-02-29T00:00']);
    expect(next('0 0 31 * *', 'UTC', '2026-01-31T00:00Z', 2)).toEqual([
      '2026-03-31T00:00',
      '2026-05-31T00:00',
    ]);
    expect(next('0 0 L * *', 'UTC', '2028-01-31T00:00Z', 3)).toEqual([
      '2028-02-29T00:00',
      '2028-03-31T00:00',
      '2028-04-30T00:00',
    ]);
    expect(next('0 0 13 * fri', 'UTC', '2026-03-01T00:00Z', 3)).toEqual([
      '2026-03-06T00:00',
      '2026-03-13T00:00',
      '2026-03-20T00:00',
    ]);
  });

  it('are none for an unknown zone or cron', () => {
    expect(next('0 0 * * *', 'Europe/Berlinn', '2026-01-01T00:00Z', 1)).toEqual([]);
    expect(next('nonsense', 'UTC', '2026-01-01T00:00Z', 1)).toEqual([]);
  });
});

/** Checks every minute of some days against what a wall clock would show. */
function bruteForce(cron: Cron, timezone: string, from: number, to: number): number[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const hourly = cron.hours.length === 24;
  const due: number[] = [];
  const seen = new Set<number>();
  let before = Date.parse(`${clock.format(from - MINUTE).replace(' ', 'T')}Z`);
  for (let time = from; time <= to; time += MINUTE) {
    const wall = Date.parse(`${clock.format(time).replace(' ', 'T')}Z`);
    let matches = shows(cron, wall) && (hourly || !seen.has(wall));
    if (!hourly) {
      for (let gone = before + MINUTE; gone < wall; gone += MINUTE) {
        if (!seen.has(gone) && shows(cron, gone)) matches = true;
        seen.add(gone);
      }
    }
    seen.add(wall);
    before = wall;
    if (matches) due.push(time);
  }
  return due;
}

function shows(cron: Cron, wall: number): boolean {
  const date = new Date(wall);
  const byDay =
    cron.days.has(date.getUTCDate()) || (cron.lastDay && new Date(wall + 1440 * MINUTE).getUTCDate() === 1);
  const byWeekday = cron.weekdays.has(date.getUTCDay());
  return (
    cron.minutes.includes(date.getUTCMinutes()) &&
    cron.hours.includes(date.getUTCHours()) &&
    cron.months.has(date.getUTCMonth() + 1) &&
    (cron.either ? byDay || byWeekday : byDay && byWeekday)
  );
}

/** Days around which clocks change, or months and years end. */
const ZONES: [string, string[]][] = [
  ['Europe/Berlin', ['2026-03-29', '2026-10-25', '2027-12-31']],
  ['America/New_York', ['2026-03-08', '2026-11-01', '2028-02-29']],
  ['Australia/Lord_Howe', ['2026-04-05', '2026-10-04']],
  ['America/Havana', ['2026-03-08', '2026-11-01']],
  ['Asia/Beirut', ['2026-03-29', '2026-10-25']],
  ['Pacific/Apia', ['2011-12-30']],
  ['Asia/Kathmandu', ['2026-02-28']],
];

const field = (least: number, most: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    fc.constant('*'),
    value.map(String),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => values.join(',')),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
};

describe('times', () => {
  it('are those of a wall clock, minute by minute', () => {
    const places = ZONES.flatMap(([zone, days]) => days.map((day) => [zone, day] as const));
    const crons = fc
      .tuple(
        field(0, 59),
        field(0, 23),
        fc.oneof(fc.constant('*'), field(1, 28), fc.constant('L')),
        field(1, 12),
        field(0, 7),
      )
      .map((fields) => fields.join(' '));
    fc.assert(
      fc.property(fc.constantFrom(...places), crons, ([timezone, day], text) => {
        const cron = parseCron(text);
        if (isCronFault(cron)) return;
        const from = Date.parse(`${day}T00:00Z`) - 36 * 60 * MINUTE;
        const to = from + 84 * 60 * MINUTE;
        const times = [...timesAfter(cron, new Zone(timezone), from - 1, to)];
        expect(times).toEqual(bruteForce(cron, timezone, from, to));
      }),
      { numRuns: 150 },
    );
  });
});
