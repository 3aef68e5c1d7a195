/** Owns: `'%05.1f' % value`, Python's printf-style formatting. Padding is paid for before it is made. */
import { textLength } from './iterate.ts';
import { checkPrecision, formatFloat, formatInt } from './number-format.ts';
import { isNumber, toNumber } from './numbers.ts';
import { need, type Runtime } from './runtime.ts';
import { typeFault, valueFault } from './template-error.ts';
import { quote, repr, toText } from './text.ts';
import { dictGet, isDict, isInt, Tuple, typeName } from './values.ts';

const DIRECTIVE = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?([\s\S]?)/g;

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string;
}

/** Supplies the arguments one after another. */
class Supply {
  readonly #items: readonly unknown[];
  readonly #whole: unknown;
  #at = 0;

  constructor(value: unknown) {
    this.#whole = value;
    this.#items = value instanceof Tuple ? value : [value];
  }
  next(): unknown {
    if (this.#at >= this.#items.length) throw typeFault('the format needs more values than it received');
    return need(this.#items[this.#at++]);
  }
  named(key: string): unknown {
    this.#at = this.#items.length;
    if (!isDict(this.#whole)) throw typeFault(`%(${key}) needs a dict, got ${typeName(this.#whole)}`);
    const value = dictGet(this.#whole, key);
    if (value === undefined) throw valueFault(`the values have no key ${quote(key)}`);
    return need(value);
  }
  finish(): void {
    const optional = isDict(this.#whole) || (Array.isArray(this.#whole) && !(this.#whole instanceof Tuple));
    if (this.#at < this.#items.length && !optional)
      throw typeFault('there are more values than the format uses');
  }
}

export function printf(rt: Runtime, format: string, value: unknown): string {
  const supply = new Supply(value);
  let result = '';
  let at = 0;
  rt.spend(1 + format.length / 16);
  for (const match of format.matchAll(DIRECTIVE)) {
    const text = directive(rt, supply, match);
    rt.produce(match.index - at + text.length);
    result += format.slice(at, match.index) + text;
    at = match.index + match[0].length;
  }
  supply.finish();
  return result + format.slice(at);
}

function directive(rt: Runtime, supply: Supply, match: RegExpExecArray): string {
  const [, key, flags = '', width, precision, type = ''] = match;
  if (type === '%') return '%';
  if (type === '')
    throw valueFault('the format ends in the middle of a directive', 'write %% for a percent sign');
  const size = (text: string | undefined): number | undefined =>
    text === '*' ? starSize(supply.next()) : text === undefined ? undefined : Number(text || 0);
  const given = size(width) ?? 0;
  const parsed: Directive = {
    flags: given < 0 ? `${flags}-` : flags,
    width: Math.abs(given),
    precision: size(precision),
    type,
  };
  return convert(rt, parsed, key === undefined ? supply.next() : supply.named(key));
}

function starSize(value: unknown): number {
  if (!isInt(value)) throw typeFault(`* needs an integer, got ${typeName(value)}`);
  return Number(value);
}

function convert(rt: Runtime, parsed: Directive, value: unknown): string {
  switch (parsed.type) {
    case 's':
    case 'r':
    case 'a':
      return pad(rt, parsed, '', textOf(rt, parsed, value), false);
    case 'c':
      return pad(rt, parsed, '', character(value), false);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return integer(rt, parsed, value);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return float(rt, parsed, value);
    default:
      throw valueFault(`there is no format "%${parsed.type}"`, 'write %% for a percent sign');
  }
}

function textOf(rt: Runtime, { type, precision }: Directive, value: unknown): string {
  const text = type === 's' ? toText(rt, value) : repr(rt, value);
  return precision === undefined ? text : Array.from(text).slice(0, precision).join('');
}

function character(value: unknown): string {
  if (typeof value === 'string' && Array.from(value).length === 1) return value;
  if (isInt(value) && value >= 0 && value <= 0x10ffff) return String.fromCodePoint(Number(value));
  throw typeFault('%c needs one character or its code');
}

function integer(rt: Runtime, parsed: Directive, value: unknown): string {
  if (
    !isNumber(value) ||
    (parsed.type !== 'd' &&
      parsed.type !== 'i' &&
      parsed.type !== 'u' &&
      !isInt(value) &&
      typeof value !== 'boolean')
  ) {
    throw typeFault(`%${parsed.type} needs a number, got ${typeName(value)}`, 'convert it with "| int"');
  }
  const whole = isInt(value) ? value : wholePart(toNumber(value));
  const size = whole < 0 ? -whole : whole;
  const digits = formatInt(size, parsed.type, false);
  const alternate = parsed.flags.includes('#') && /[xXo]/.test(parsed.type) ? `0${parsed.type}` : '';
  const least = checkWidth(rt, parsed.precision ?? 0);
  return pad(rt, parsed, sign(parsed, whole < 0) + alternate, digits.padStart(least, '0'), true);
}

function wholePart(value: number): number | bigint {
  if (!Number.isFinite(value)) throw valueFault('this float has no integer value');
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole : BigInt(whole);
}

function checkWidth(rt: Runtime, width: number): number {
  rt.produce(width);
  return width;
}

function float(rt: Runtime, parsed: Directive, value: unknown): string {
  if (!isNumber(value))
    throw typeFault(`%${parsed.type} needs a number, got ${typeName(value)}`, 'convert it with "| float"');
  const number = toNumber(value);
  const negative = number < 0 || Object.is(number, -0);
  const type = parsed.type.toLowerCase();
  const text = formatFloat(
    Math.abs(number),
    type,
    checkPrecision(parsed.precision ?? 6),
    parsed.flags.includes('#'),
  );
  const cased = parsed.type === type ? text : text.toUpperCase();
  return pad(rt, parsed, sign(parsed, negative), cased, Number.isFinite(number));
}

function sign({ flags }: Directive, negative: boolean): string {
  if (negative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function pad(
  rt: Runtime,
  { flags, width }: Directive,
  prefix: string,
  body: string,
  numeric: boolean,
): string {
  const space = width - prefix.length - textLength(body);
  if (space <= 0) return prefix + body;
  rt.produce(width);
  if (flags.includes('-')) return prefix + body + ' '.repeat(space);
  if (numeric && flags.includes('0')) return prefix + '0'.repeat(space) + body;
  return ' '.repeat(space) + prefix + body;
}
