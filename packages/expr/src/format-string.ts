/** Owns: `'{:>8.2f}'.format(value)`: replacement fields and format specifications, as str.format reads them. */
import { getAttribute, getItem } from './access.ts';
import type { CallArguments } from './callable.ts';
import { floatText } from './float-text.ts';
import { textLength } from './iterate.ts';
import { checkPrecision, formatFloat, formatInt, groupDigits } from './number-format.ts';
import { isNumber, toNumber } from './numbers.ts';
import { need, type Runtime } from './runtime.ts';
import { typeFault, valueFault } from './template-error.ts';
import { repr, toText } from './text.ts';
import { isInt, typeName } from './values.ts';

const MAX_NESTING = 2;

class Formatter {
  readonly #rt: Runtime;
  readonly #args: CallArguments;
  readonly #named: Map<string, unknown>;
  #next = 0;

  constructor(rt: Runtime, args: CallArguments) {
    this.#rt = rt;
    this.#args = args;
    this.#named = new Map(args.keyword);
  }

  format(text: string, depth = 0): string {
    if (depth >= MAX_NESTING) throw valueFault('fields in a format nest too deeply');
    this.#rt.spend(1 + text.length / 16);
    let result = '';
    let at = 0;
    const braces = /[{}]/g;
    while (at < text.length) {
      braces.lastIndex = at;
      const start = braces.exec(text)?.index ?? text.length;
      result += text.slice(at, start);
      if (start === text.length) break;
      if (text[start + 1] === text[start]) {
        result += text[start];
        at = start + 2;
        continue;
      }
      if (text[start] === '}') throw valueFault('a single "}" in the format', 'write "}}" for a brace');
      const end = fieldEnd(text, start);
      result += this.#field(text.slice(start + 1, end), depth);
      at = end + 1;
    }
    this.#rt.produce(result.length);
    return result;
  }

  #field(field: string, depth: number): string {
    const match = /^([^:!]*)(?:!([rsa]))?(?::([\s\S]*))?$/.exec(field);
    if (!match) throw valueFault(`"{${field}}" is not a field of a format`);
    const value = this.#value(match[1]!);
    const shown =
      match[2] === undefined ? value : match[2] === 's' ? toText(this.#rt, value) : repr(this.#rt, value);
    const spec = match[3] ?? '';
    return formatValue(this.#rt, shown, spec.includes('{') ? this.format(spec, depth + 1) : spec);
  }

  #value(name: string): unknown {
    const match = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/.exec(name);
    if (!match) throw valueFault(`"${name}" is not the name of a field`);
    let value = this.#argument(match[1]!);
    for (const [, attribute, key] of match[2]!.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      if (attribute !== undefined) value = getAttribute(this.#rt, value, attribute, this.#rt.at);
      else value = getItem(this.#rt, value, /^\d+$/.test(key!) ? Number(key) : key, this.#rt.at);
      need(value);
    }
    return need(value);
  }

  #argument(name: string): unknown {
    const index = name === '' ? this.#next++ : /^\d+$/.test(name) ? Number(name) : undefined;
    const value = index === undefined ? this.#named.get(name) : this.#args.positional[index];
    if (value === undefined) throw valueFault(`the format has no value for "{${name}}"`);
    return value;
  }
}

export const formatString = (rt: Runtime, text: string, args: CallArguments): string =>
  new Formatter(rt, args).format(text);

/** The brace that closes the one at `start`. Fields may contain fields. */
function fieldEnd(text: string, start: number): number {
  let open = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') open++;
    else if (text[at] === '}' && --open === 0) return at;
  }
  throw valueFault('a single "{" in the format', 'write "{{" for a brace');
}

const SPEC = /^(?:([\s\S])?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;

interface Spec {
  readonly filler: string;
  readonly align: string | undefined;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly separator: string;
  readonly precision: number | undefined;
  readonly type: string;
}

function readSpec(text: string): Spec {
  const match = SPEC.exec(text);
  if (!match) throw valueFault(`"${text}" is not a format`);
  const [, filler, align, sign = '-', hash, zero, width = '0', separator = '', precision, type = ''] = match;
  return {
    filler: filler ?? (zero ? '0' : ' '),
    align: align ?? (zero ? '=' : undefined),
    sign,
    alternate: hash !== undefined,
    width: Number(width),
    separator,
    precision: precision === undefined ? undefined : checkPrecision(Number(precision)),
    type,
  };
}

export function formatValue(rt: Runtime, value: unknown, text: string): string {
  if (text === '') return toText(rt, value);
  const spec = readSpec(text);
  if (isNumber(value)) return formatNumber(rt, value, spec);
  if (typeof value !== 'string' || (spec.type !== '' && spec.type !== 's')) {
    throw typeFault(`cannot format ${typeName(value)} as "${text}"`);
  }
  if (spec.align === '=') throw valueFault('"=" aligns only numbers');
  const cut = spec.precision === undefined ? value : Array.from(value).slice(0, spec.precision).join('');
  return align(rt, spec, '', cut, spec.align ?? '<');
}

function formatNumber(rt: Runtime, value: Parameters<typeof toNumber>[0], spec: Spec): string {
  const negative = isInt(value) ? value < 0 : toNumber(value) < 0 || Object.is(toNumber(value), -0);
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign;
  const body = digitsOf(value, spec);
  const grouped = spec.separator ? groupDigits(body, spec.separator, /[bxXo]/.test(spec.type) ? 4 : 3) : body;
  return align(rt, spec, sign, grouped, spec.align ?? '>');
}

function digitsOf(value: Parameters<typeof toNumber>[0], { type, precision, alternate }: Spec): string {
  const whole = typeof value === 'boolean' ? Number(value) : value;
  if (isInt(whole) && (type === '' || 'bdoxXcn'.includes(type)) && precision === undefined) {
    if (type === 'c') return String.fromCodePoint(Number(whole));
    return formatInt(whole < 0 ? -whole : whole, type, alternate);
  }
  const number = Math.abs(toNumber(value));
  if (type === '%') return `${formatFloat(number * 100, 'f', precision ?? 6)}%`;
  if (type === '')
    return precision === undefined
      ? floatDigits(number)
      : withPoint(formatFloat(number, 'g', precision, alternate));
  if (!'eEfFgGn'.includes(type)) throw typeFault(`cannot format ${typeName(value)} as "${type}"`);
  const text = formatFloat(number, type === 'n' ? 'g' : type.toLowerCase(), precision ?? 6, alternate);
  return /[EFG]/.test(type) ? text.toUpperCase() : text;
}

const floatDigits = (value: number): string => floatText(value);
const withPoint = (text: string): string => (/[.en]/.test(text) ? text : `${text}.0`);

function align(rt: Runtime, { filler, width }: Spec, prefix: string, body: string, side: string): string {
  const space = width - textLength(prefix + body);
  if (space <= 0) return prefix + body;
  rt.produce(width);
  if (side === '=') return prefix + filler.repeat(space) + body;
  const left = side === '<' ? 0 : side === '>' ? space : Math.floor(space / 2);
  return filler.repeat(left) + prefix + body + filler.repeat(space - left);
}
