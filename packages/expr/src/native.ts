/**
 * Owns: what leaves an evaluation: plain JSON-like values.
 *
 * - Numbers leave as they are: 2.0 as a `Float`, an int outside JavaScript's safe range as a bigint.
 * - Tuples, views and ranges leave as arrays, a namespace as an object, `now()` as its isoformat text.
 *   Functions, macros and similar objects cannot leave.
 * - Keys that are not strings become text as in JSON. A key `__proto__` is an own key like any other.
 * - A value directly from the scope leaves by reference, because it is already plain.
 * - Rendered text becomes native if all of it, apart from surrounding white space, is a number, true, false, null, True,
 *   False, None, or a list or dict in JSON or Python. Quoted strings, tuples, numbers with leading zeros or signs
 *   (`007`, `+1`) and ints over 4300 digits stay text. Numbers too large for a float are refused, as everywhere.
 */
import { Namespace } from './assign.ts';
import { iterate, Sequence } from './iterate.ts';
import { MAX_DIGITS, NotFinite, readNumber } from './json-numbers.ts';
import { readLiteral } from './literal.ts';
import { asData, isReference } from './reference.ts';
import { need, type Runtime } from './runtime.ts';
import { fuelFault, typeFault } from './template-error.ts';
import { toText } from './text.ts';
import { Dict, Float, isAbsent, Opaque, type PlainObject, typeName } from './values.ts';

const MAX_DEPTH = 200;

export function toNative(rt: Runtime, value: unknown, depth = 0): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return finite(value);
  if (value instanceof Float || typeof value === 'bigint') return value;
  need(value);
  if (isAbsent(value)) return null;
  if (value instanceof Opaque) return opaqueToNative(rt, value, depth);
  if (value instanceof Dict) return toObject(rt, value.entries(), depth);
  // Only templates create subclasses of Array, so a plain array or object comes unchanged from the scope.
  if (!Array.isArray(value) || value.constructor === Array) return value;
  checkDepth(depth);
  rt.spend(value.length + 1);
  return Array.from(value as unknown[], (item) => toNative(rt, item, depth + 1));
}

/** JSON has no infinity, so it would be null after the next restart. */
function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw typeFault(
    `${value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan'} cannot be the value of a template`,
    'keep numbers below 1e308',
  );
}

function opaqueToNative(rt: Runtime, value: Opaque, depth: number): unknown {
  if (value instanceof Sequence) return Array.from(iterate(rt, value));
  if (value instanceof Namespace) return toObject(rt, value.members.entries(), depth);
  if (value.type === 'datetime') return value.text().replace(' ', 'T');
  throw typeFault(`a ${typeName(value)} cannot be the value of a template`, 'call it, or print it into text');
}

function toObject(rt: Runtime, entries: Iterable<[unknown, unknown]>, depth: number): PlainObject {
  checkDepth(depth);
  const pairs = Array.from(entries, ([key, value]): [string, unknown] => {
    rt.spend();
    return [keyText(rt, key), toNative(rt, value, depth + 1)];
  });
  const made = Object.fromEntries(pairs);
  return isReference(made) ? (asData(made) as PlainObject) : made;
}

function keyText(rt: Runtime, key: unknown): string {
  if (key === null) return 'null';
  return typeof key === 'boolean' ? String(key) : toText(rt, key);
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
}

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);
const LONGEST_WORD = 5;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Rendered text as a native value if all of it is a literal, otherwise the text unchanged. */
export function fromText(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed.length <= LONGEST_WORD && WORDS.has(trimmed)) return WORDS.get(trimmed);
  if (trimmed.length <= MAX_DIGITS && NUMBER.test(trimmed)) return readNumber(trimmed) ?? refuseNotFinite();
  const bracketed = /^[[{]/.test(trimmed) && /[\]}]$/.test(trimmed);
  if (!bracketed) return text;
  const value = fromBrackets(trimmed);
  return value === undefined ? text : asData(value);
}

function fromBrackets(text: string): unknown {
  try {
    return readLiteral(text);
  } catch (error) {
    if (error instanceof NotFinite) return refuseNotFinite();
    throw error;
  }
}

function refuseNotFinite(): never {
  throw typeFault(
    'the text of this template is a value with a number that is too large for a float',
    'keep numbers below 1e308; to return text, write one expression: {{ a ~ b }}',
  );
}
