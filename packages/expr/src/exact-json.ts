/**
 * Owns: JSON text of values, both ways, at every door through which values pass. Numbers are those of Python's `json`:
 * 1 and 1.0 differ, ints have any size, a fraction is the nearest double.
 *
 * | number                          | as a value              |
 * |---------------------------------|-------------------------|
 * | int within ±(2^53−1)            | `number`                |
 * | any other int                   | `bigint`                |
 * | float with a fraction           | `number`                |
 * | float without (1.0, 1e300, -0.0) | `Float`                |
 *
 * Nearly all texts and values have only what `JSON` keeps by itself, and then `JSON` does the work.
 */
import { Float, floatsWritten } from './float.ts';
import { floatText } from './float-text.ts';
import { endOfString, hasDelicateNumber, readNumber, refuseLong } from './json-numbers.ts';

/** Throws a SyntaxError as `JSON.parse` does. */
export function decodeJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasDelicateNumber(text) ? new ExactReader(text).read() : value;
}

const SPACE = 32;
const NUMBER = /[-+.\deE]+/y;
const WORDS: Readonly<Record<string, unknown>> = { t: true, f: false, n: null };
const LENGTHS: Readonly<Record<string, number>> = { t: 4, f: 5, n: 4 };

/** Reads text that `JSON.parse` has read already, so it is valid. */
class ExactReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): unknown {
    this.skipSpace();
    const first = this.text[this.at]!;
    if (first === '{') return this.object();
    if (first === '[') return this.array();
    if (first === '"') return this.string();
    if (first in WORDS) {
      this.at += LENGTHS[first]!;
      return WORDS[first];
    }
    return this.number();
  }

  private object(): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    while (this.hasMore('}')) {
      const key = this.string();
      this.skipSpace();
      this.at += 1;
      setOwn(made, key, this.read());
    }
    return made;
  }

  private array(): unknown[] {
    const made: unknown[] = [];
    while (this.hasMore(']')) made.push(this.read());
    return made;
  }

  /** Steps over the opening bracket or the comma to the next item, or over the closing bracket. */
  private hasMore(close: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== close) {
      this.at += 1;
      this.skipSpace();
    }
    if (this.text[this.at] !== close) return true;
    this.at += 1;
    return false;
  }

  private string(): string {
    const end = endOfString(this.text, this.at);
    const inner = this.text.slice(this.at + 1, end);
    const value = inner.includes('\\') ? (JSON.parse(this.text.slice(this.at, end + 1)) as string) : inner;
    this.at = end + 1;
    return value;
  }

  private number(): unknown {
    NUMBER.lastIndex = this.at;
    const [written] = NUMBER.exec(this.text)!;
    this.at += written.length;
    return readNumber(written);
  }

  private skipSpace(): void {
    while (this.text.charCodeAt(this.at) <= SPACE) this.at += 1;
  }
}

/** As `JSON.parse` does: `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** What `JSON.stringify` leaves out (undefined, functions) is left out here too; alone, it gives JS undefined. */
export function encodeJson(value: unknown, indent = 0): string {
  const plain = plainText(value, indent);
  return plain === EXACT ? write(value, indent > 0 ? '\n' : '', ' '.repeat(indent))! : (plain as string);
}

/**
 * Text that only `decodeStored` reads back. It begins with a space if a number in it needs the exact reader, so that
 * nobody has to look for one: a log of a million events is read in a second.
 */
export function encodeStored(value: unknown): string {
  const plain = plainText(value);
  return plain === EXACT ? ` ${write(value, '', '')!}` : (plain as string);
}

export function decodeStored(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.startsWith(' ') ? new ExactReader(text).read() : value;
}

const EXACT = Symbol('there is a number that JSON.stringify cannot write');

function plainText(value: unknown, indent = 0): string | undefined | typeof EXACT {
  const before = floatsWritten();
  try {
    const text = JSON.stringify(value, null, indent);
    return floatsWritten() === before ? text : EXACT;
  } catch (error) {
    if (error instanceof TypeError && error.message.includes('BigInt')) return EXACT;
    throw error;
  }
}

/** `margin` is the line break and the indent before the value; empty for text on one line. */
function write(value: unknown, margin: string, step: string): string | undefined {
  if (typeof value === 'bigint') return intText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Float) return floatText(value.value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return write(Reflect.apply(toJSON, value, ['']), margin, step);
  const inner = margin && margin + step;
  if (Array.isArray(value)) {
    const items = Array.from(value, (item) => write(item, inner, step) ?? 'null');
    return layOut('[', items, ']', margin, inner);
  }
  const colon = margin ? ': ' : ':';
  const pairs: string[] = [];
  for (const key of Object.keys(value)) {
    const item = write((value as Record<string, unknown>)[key], inner, step);
    if (item !== undefined) pairs.push(`${JSON.stringify(key)}${colon}${item}`);
  }
  return layOut('{', pairs, '}', margin, inner);
}

/** What would not be read again is not written. */
function intText(value: bigint): string {
  const text = value.toString();
  refuseLong(text);
  return text;
}

const layOut = (open: string, items: string[], close: string, margin: string, inner: string): string =>
  items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${margin}${close}`;
