/**
 * Maps time to positions from 0 to 1, with idle time removed: every long wait becomes a short break of the same width.
 */
import { countUpTo } from './count-up-to.ts';
import type { Span } from './run-source.ts';
import { piecesOf } from './span-pieces.ts';

export interface TimeScale {
  /** Between 0 and 1. */
  toPlace(time: number): number;
  toTime(place: number): number;
  /** Positions of breaks, and for how long nothing ran there. */
  breaks: { from: number; to: number; ms: number }[];
}

/** The shortest idle time that is removed, relative to the time during which something ran. */
const LEAST_IDLE = 0.05;
const LEAST_IDLE_MS = 1000;
/** The width of a break, relative to that time. */
const BREAK = 0.03;

type Interval = [start: number, end: number];

export function timeScale(spans: readonly Span[], start: number, end: number): TimeScale {
  const busy = merged(spans.flatMap((span) => workOf(span, end)));
  const busyMs = busy.reduce((sum, [from, to]) => sum + to - from, 0) || Math.max(1, end - start);
  /** Where each piece begins, as time and as position. */
  const times = [start];
  const places = [0];
  const breaks: TimeScale['breaks'] = [];
  const add = (time: number, width: number) => {
    times.push(time);
    places.push(places.at(-1)! + width);
  };
  for (const [from, to] of [...busy, [end, end] satisfies Interval]) {
    const last = times.at(-1)!;
    const idle = from - last;
    if (idle > Math.max(LEAST_IDLE_MS, LEAST_IDLE * busyMs)) {
      add(from, BREAK * busyMs);
      breaks.push({ from: places.at(-2)!, to: places.at(-1)!, ms: idle });
    } else if (idle > 0) add(from, idle);
    if (to > times.at(-1)!) add(to, to - times.at(-1)!);
  }
  const whole = places.at(-1)! || 1;
  return {
    toPlace: (time) => between(times, places, time) / whole,
    toTime: (place) => between(places, times, place * whole),
    breaks: breaks.map(({ from, to, ms }) => ({ from: from / whole, to: to / whole, ms })),
  };
}

const workOf = (span: Span, end: number): Interval[] =>
  piecesOf(span, end)
    .filter(({ isWait }) => !isWait)
    .map(({ from, to }) => [from, to]);

function merged(intervals: Interval[]): Interval[] {
  const found: Interval[] = [];
  for (const [from, to] of intervals.sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/** Linear interpolation: `xs` are increasing, and `ys` belong to them. */
function between(xs: readonly number[], ys: readonly number[], x: number): number {
  const i = Math.min(
    Math.max(
      1,
      countUpTo(xs.length, (at) => xs[at]! < x),
    ),
    xs.length - 1,
  );
  const [from = 0, to = from] = [xs[i - 1], xs[i]];
  const share = to > from ? Math.min(Math.max(0, (x - from) / (to - from)), 1) : 0;
  return ys[i - 1]! + share * ((ys[i] ?? ys[i - 1]!) - ys[i - 1]!);
}
