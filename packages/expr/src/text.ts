/** Owns: `str` and `repr` of a value, as in Python. Pays for every character before it is kept. */
import { floatText } from './float-text.ts';
import { need, type Runtime, undefinedFault } from './runtime.ts';
import { standInOf } from './stand-in.ts';
import { fuelFault, typeFault } from './template-error.ts';
import {
  type Dict,
  dictEntries,
  Float,
  isAbsent,
  isInt,
  Opaque,
  type PlainObject,
  Tuple,
  Undefined,
  View,
} from './values.ts';

const MAX_DEPTH = 200;
/** The cost of writing a list apart from its items, which dominates in deeply nested small lists. */
const LIST_COST = 12;

export function toText(rt: Runtime, value: unknown): string {
  if (typeof value === 'string') return value;
  return repr(rt, value, 0);
}

/** Text for output: a ternary without else prints nothing. */
export function toOutput(rt: Runtime, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined && value.silent) return '';
  return repr(rt, need(value), 0);
}

export function repr(rt: Runtime, value: unknown, depth = 0): string {
  const text = write(rt, value, depth);
  rt.produce(text.length);
  return text;
}

function write(rt: Runtime, value: unknown, depth: number): string {
  if (typeof value === 'string') {
    rt.spend(value.length >> 3);
    return quote(value);
  }
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value instanceof Float) return floatText(value.value);
  if (typeof value === 'number') return isInt(value) ? String(value) : floatText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Undefined) throw undefinedFault(value);
  if (value instanceof Opaque) return value.text();
  if (isAbsent(value)) return 'None';
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) return sequence(rt, value, depth);
  return mapping(rt, value as PlainObject | Dict, depth);
}

function sequence(rt: Runtime, items: readonly unknown[], depth: number): string {
  rt.spend(items.length * 4 + LIST_COST);
  const inner = Array.from(items, (item) => repr(rt, item, depth + 1)).join(', ');
  if (items instanceof Tuple) return items.length === 1 ? `(${inner},)` : `(${inner})`;
  return items instanceof View ? `${items.label}([${inner}])` : `[${inner}]`;
}

function mapping(rt: Runtime, dict: PlainObject | Dict, depth: number): string {
  const { noText } = standInOf(dict) ?? {};
  if (noText) throw typeFault(noText.why, noText.hint);
  const entries = dictEntries(dict);
  rt.spend(entries.length * 4 + LIST_COST);
  const pairs = entries.map(([key, value]) => `${repr(rt, key, depth + 1)}: ${repr(rt, value, depth + 1)}`);
  return `{${pairs.join(', ')}}`;
}

/** A function, because compiling the Unicode classes takes long and most texts need none of them. */
const needsEscape = (): RegExp => /[\\'\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const PLAIN = /^[ -&(-[\]-~]*$/;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** Python prefers single quotes, unless the text contains one and no double quote. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  const double = text.includes("'") && !text.includes('"');
  const escaped = text.replace(needsEscape(), (character) => {
    if (character === "'") return double ? "'" : "\\'";
    return SHORT[character] ?? escapeCode(character.codePointAt(0)!);
  });
  return double ? `"${escaped}"` : `'${escaped}'`;
}

function escapeCode(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
