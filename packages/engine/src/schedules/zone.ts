/** A time zone as stretches of time with one offset each. Its rules are those that the JavaScript engine brings along. */

export interface Stretch {
  /** ms since the epoch, the end exclusive. */
  from: number;
  to: number;
  /** Local time minus UTC, ms. */
  offset: number;
}

const DAY_MS = 86_400_000;

export class Zone {
  private readonly format: Intl.DateTimeFormat;

  /** Throws a RangeError where there is no such zone. */
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

  /** Contiguous, at most a day long each. No zone changes its clocks twice within one day. */
  *stretches(from: number, to: number): Iterable<Stretch> {
    let offset = this.offsetAt(from);
    for (let start = from; start < to; start += DAY_MS) {
      const end = start + DAY_MS;
      const after = this.offsetAt(end);
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

/** Undefined where there is no such zone. */
export function zoneOf(name: string): Zone | undefined {
  try {
    return new Zone(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
