/** A time zone as stretches of time with one offset each. The rules come with the JavaScript engine. */
import { nearest } from '@woof/expr/nearest';

export interface Stretch {
  /** ms since the epoch, the end exclusive. */
  from: number;
  to: number;
  /** Local time minus UTC, ms. */
  offset: number;
}

const DAY_MS = 86_400_000;
const MOST_MIDNIGHTS = 1000;

export class Zone {
  private readonly format: Intl.DateTimeFormat;
  private readonly midnights = new Map<number, number>();

  /** Throws a RangeError if there is no such zone. */
  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  offsetAt(time: number): number {
    const part: Record<string, number> = {};
    for (const { type, value } of this.format.formatToParts(time)) part[type] = Number(value);
    const local = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!);
    return local - Math.floor(time / 1000) * 1000;
  }

  /** Contiguous, at most one day each, starting at a UTC midnight. No zone changes its clocks twice within one day. */
  *stretches(from: number, to: number): Iterable<Stretch> {
    const midnight = Math.floor(from / DAY_MS) * DAY_MS;
    let offset = this.offsetAtMidnight(midnight);
    for (let start = midnight; start < to; start += DAY_MS) {
      const end = start + DAY_MS;
      const after = this.offsetAtMidnight(end);
      if (after === offset) {
        yield { from: start, to: end, offset };
        continue;
      }
      const change = this.changeBetween(start, end, offset);
      yield { from: start, to: change, offset };
      yield { from: change, to: end, offset: after };
      offset = after;
    }
  }

  /** Schedules ask for the same days again and again. */
  private offsetAtMidnight(midnight: number): number {
    const known = this.midnights.get(midnight);
    if (known !== undefined) return known;
    const offset = this.offsetAt(midnight);
    if (this.midnights.size >= MOST_MIDNIGHTS) this.midnights.clear();
    this.midnights.set(midnight, offset);
    return offset;
  }

  private changeBetween(from: number, to: number, before: number): number {
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }
}

/**
 * Creating a zone costs a hundred times as much as querying it. There are a few hundred names, with a few spellings
 * each.
 */
const known = new Map<string, Zone>();
const MOST_KNOWN = 2000;

/** Undefined if there is no such zone. */
export function zoneOf(name: string): Zone | undefined {
  try {
    const zone = known.get(name) ?? new Zone(name);
    if (known.size < MOST_KNOWN) known.set(name, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Zones have names like `Europe/Berlin`. Anyone who leaves out the continent or mistypes the name gets a hint. */
export function zoneHint(name: string): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const wanted = name.toLowerCase().replaceAll(' ', '_');
  const near = zones.find((zone) => zone.toLowerCase().split('/').includes(wanted)) ?? nearest(name, zones);
  return near ? `did you mean "${near}"?` : 'a name looks like "Europe/Berlin" or "UTC"';
}
