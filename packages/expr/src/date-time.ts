/**
 * Owns: the result of `now()`: a time of the host's clock, in UTC. It supports year … microsecond, isoformat, strftime,
 * timestamp, date, weekday and isoweekday. It leaves an evaluation as its isoformat text.
 */
import { define } from './builtin.ts';
import { BuiltinFunction } from './callable.ts';
import { needString } from './coerce.ts';
import type { Runtime } from './runtime.ts';
import { makeFloat, Opaque } from './values.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAY_MS = 86_400_000;

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

export class DateTime extends Opaque {
  readonly type = 'datetime';
  readonly #ms: number;
  readonly #date: Date;

  constructor(ms: number) {
    super();
    this.#ms = ms;
    this.#date = new Date(ms);
  }

  override text(): string {
    return this.#iso(' ');
  }

  /** Python omits the fraction if it is zero. */
  #iso(separator: string): string {
    const [day, time] = this.#date.toISOString().slice(0, -1).split('T') as [string, string];
    const fraction = this.#ms % 1000 === 0 ? time.slice(0, 8) : `${time}000`;
    return `${day}${separator}${fraction}+00:00`;
  }

  override attribute(name: string): unknown {
    const date = this.#date;
    switch (name) {
      case 'year':
        return date.getUTCFullYear();
      case 'month':
        return date.getUTCMonth() + 1;
      case 'day':
        return date.getUTCDate();
      case 'hour':
        return date.getUTCHours();
      case 'minute':
        return date.getUTCMinutes();
      case 'second':
        return date.getUTCSeconds();
      case 'microsecond':
        return date.getUTCMilliseconds() * 1000;
      default:
        return this.#method(name);
    }
  }

  #method(name: string): unknown {
    const make = (signature: string, run: (rt: Runtime, ...args: unknown[]) => unknown) =>
      new BuiltinFunction(name, define(signature, run));
    switch (name) {
      case 'isoformat':
        return make('sep', (_rt, separator = 'T') => this.#iso(needString(separator, 'the separator')));
      case 'strftime':
        return make('format!', (rt, format) => this.#strftime(rt, needString(format, 'the format')));
      case 'timestamp':
        return make('', () => makeFloat(this.#ms / 1000));
      case 'date':
        return make('', () => this.#date.toISOString().slice(0, 10));
      case 'weekday':
        return make('', () => (this.#date.getUTCDay() + 6) % 7);
      case 'isoweekday':
        return make('', () => this.#date.getUTCDay() || 7);
      default:
        return undefined;
    }
  }

  #strftime(rt: Runtime, format: string): string {
    rt.produce(format.length * 10);
    return format.replace(/%(-?[a-zA-Z%])/g, (whole, code: string) => {
      const plain = code.startsWith('-')
        ? this.#code(code.slice(1))?.replace(/^0+(?=\d)/, '')
        : this.#code(code);
      return plain ?? whole;
    });
  }

  #code(code: string): string | undefined {
    const date = this.#date;
    const hour = date.getUTCHours();
    switch (code) {
      case 'Y':
        return pad(date.getUTCFullYear(), 4);
      case 'y':
        return pad(date.getUTCFullYear() % 100);
      case 'm':
        return pad(date.getUTCMonth() + 1);
      case 'd':
        return pad(date.getUTCDate());
      case 'H':
        return pad(hour);
      case 'I':
        return pad(hour % 12 || 12);
      case 'M':
        return pad(date.getUTCMinutes());
      case 'S':
        return pad(date.getUTCSeconds());
      case 'f':
        return pad(date.getUTCMilliseconds() * 1000, 6);
      case 'p':
        return hour < 12 ? 'AM' : 'PM';
      case 'A':
        return DAYS[date.getUTCDay()];
      case 'a':
        return DAYS[date.getUTCDay()]!.slice(0, 3);
      case 'B':
        return MONTHS[date.getUTCMonth()];
      case 'b':
        return MONTHS[date.getUTCMonth()]!.slice(0, 3);
      case 'j':
        return pad(
          Math.floor(
            (Math.floor(this.#ms / DAY_MS) * DAY_MS - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS,
          ) + 1,
          3,
        );
      case 'w':
        return String(date.getUTCDay());
      case 'u':
        return String(date.getUTCDay() || 7);
      case 's':
        return String(Math.floor(this.#ms / 1000));
      case 'z':
        return '+0000';
      case 'Z':
        return 'UTC';
      case 'F':
        return this.#date.toISOString().slice(0, 10);
      case 'T':
        return this.#date.toISOString().slice(11, 19);
      case '%':
        return '%';
      default:
        return undefined;
    }
  }
}
