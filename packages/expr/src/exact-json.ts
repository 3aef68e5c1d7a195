/**
 * Owns: converting values to JSON text and back, wherever values enter or leave. Numbers follow Python's `json`: 1 and
 * 1.0 differ, ints have any size, a fraction is the nearest double.
 *
 * | number                          | as a value              |
 * |---------------------------------|-------------------------|
 * | int within ±(2^53−1)            | `number`                |
 * | any other int                   | `bigint`                |
 * | float with a fraction           | `number`                |
 * | float without (1.0, 1e300, -0.0) | `Float`                |
 * | NaN, Infinity, 1e999            | null; `decodeFinite` refuses it |
 *
 * Nearly all texts and values contain only what `JSON` preserves by itself, and then `JSON` does the work.
 */
import { mayMisreadKey } from './escaped-keys.ts';
import { Float, stringifyMarked } from './float.ts';
import { floatText } from './float-text.ts';
import { endOfString, hasDelicateNumber, NotFinite, readNumber, refuseLong } from './json-numbers.ts';
import { withNulls } from './python-json.ts';

/** Decodes data. Throws a SyntaxError as `JSON.parse` does. */
export function decodeJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const written = withNulls(text);
    if (written === undefined) throw error;
    return decodeJson(written);
  }
  return needsExactReader(text) ? readExactly(text) : value;
}

/** Decodes text in a document, a template or a call, where a number that is not finite is a mistake. */
export function decodeFinite(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return needsExactReader(text) ? readExactly(text, refuseNotFinite) : value;
}

const needsExactReader = (text: string): boolean => hasDelicateNumber(text) || mayMisreadKey(text);

function refuseNotFinite(written: string): never {
  throw new NotFinite(`the number ${written} is too large for a float: keep numbers below 1e308`);
}

function readExactly(text: string, notFinite: (written: string) => null = () => null): unknown {
  try {
    return new ExactReader(text, notFinite).read();
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('the JSON is nested too deeply');
    throw error;
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const F = 0x66;
const N = 0x6e;
const T = 0x74;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;

/** Reads text that `JSON.parse` has already accepted, so it is valid. */
class ExactReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly notFinite: (written: string) => null,
  ) {}

  read(): unknown {
    switch (this.next()) {
      case OPEN_MAP:
        return this.object();
      case OPEN_LIST:
        return this.array();
      case QUOTE:
        return this.string();
      case T:
        return this.word('true', true);
      case F:
        return this.word('false', false);
      case N:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private object(): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    this.at += 1;
    while (this.next() !== CLOSE_MAP) {
      const key = this.string();
      this.next();
      this.at += 1;
      setOwn(made, key, this.read());
      if (this.next() === COMMA) this.at += 1;
    }
    this.at += 1;
    return made;
  }

  private array(): unknown[] {
    const made: unknown[] = [];
    this.at += 1;
    while (this.next() !== CLOSE_LIST) {
      made.push(this.read());
      if (this.next() === COMMA) this.at += 1;
    }
    this.at += 1;
    return made;
  }

  private string(): string {
    const start = this.at;
    const end = endOfString(this.text, start);
    this.at = end + 1;
    for (let at = start + 1; at < end; at++)
      if (this.text.charCodeAt(at) === BACKSLASH)
        return JSON.parse(this.text.slice(start, end + 1)) as string;
    return this.text.slice(start + 1, end);
  }

  private word<W>(written: string, value: W): W {
    this.at += written.length;
    return value;
  }

  private number(): unknown {
    const start = this.at;
    while (isOfNumber(this.text.charCodeAt(this.at))) this.at += 1;
    const written = this.text.slice(start, this.at);
    return readNumber(written) ?? this.notFinite(written);
  }

  /** The next code unit that is not white space. */
  private next(): number {
    let unit = this.text.charCodeAt(this.at);
    while (unit <= SPACE) {
      this.at += 1;
      unit = this.text.charCodeAt(this.at);
    }
    return unit;
  }
}

/** Digits, `+`, `-`, `.`, `e`, `E`: any other character ends a number. */
const isOfNumber = (unit: number): boolean =>
  (unit >= 0x2b && unit <= 0x39 && unit !== COMMA) || unit === 0x65 || unit === 0x45;

/** As in `JSON.parse`, `__proto__` is a key like any other. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Omits what `JSON.stringify` omits (undefined, functions). Such a value alone gives JS undefined. */
export function encodeJson(value: unknown, indent = 0): string {
  return encoded(value, indent).text!;
}

/**
 * Text that only `decodeStored` reads back. It begins with a space if a number in it needs the exact reader, so that no
 * reader has to search for one: a log of a million events is read in a second.
 */
export function encodeStored(value: unknown): string {
  const { text, isPlain } = encoded(value, 0);
  return isPlain ? text! : ` ${text}`;
}

export function decodeStored(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.startsWith(' ') || mayMisreadKey(text) ? readExactly(text) : value;
}

/** A Float with its mark. A text that begins with the mark looks the same, but then marks outnumber Floats. */
const MARKED = /"\\u0001([^"]*)"/g;
const MARK = '"\\u0001';

function encoded(value: unknown, indent: number): { text: string | undefined; isPlain: boolean } {
  try {
    const { text, floats } = stringifyMarked(value, indent);
    if (floats === 0) return { text, isPlain: true };
    if (text!.split(MARK).length - 1 === floats) return { text: text!.replace(MARKED, '$1'), isPlain: false };
  } catch (error) {
    if (!(error instanceof TypeError && error.message.includes('BigInt'))) throw error;
  }
  return { text: write(value, indent > 0 ? '\n' : '', ' '.repeat(indent)), isPlain: false };
}

/** `margin` is the line break and the indentation before the value; empty for text on one line. */
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

/** Does not write what could not be read back. */
function intText(value: bigint): string {
  const text = value.toString();
  refuseLong(text);
  return text;
}

const layOut = (open: string, items: string[], close: string, margin: string, inner: string): string =>
  items.length === 0 ? open + close : `${open}${inner}${items.join(`,${inner}`)}${margin}${close}`;
