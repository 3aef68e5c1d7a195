/** Owns: truth, equality, order and membership. A missing value is falsy, equals nothing and is a member of nothing. */
import type { CompareOperator } from './ast.ts';
import { iterate } from './iterate.ts';
import { isReference, storedLength } from './reference.ts';
import type { Runtime } from './runtime.ts';
import { load } from './settle.ts';
import { fuelFault, typeFault } from './template-error.ts';
import {
  Dict,
  dictEntries,
  dictGet,
  dictHas,
  Float,
  isAbsent,
  isDict,
  isFloat,
  isInt,
  Opaque,
  type PlainObject,
  Tuple,
  typeName,
  Undefined,
} from './values.ts';

const MAX_DEPTH = 200;

export function truthy(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return value !== 0;
  if (value === null || value instanceof Undefined || isAbsent(value)) return false;
  if (value instanceof Float) return value.value !== 0;
  if (typeof value === 'bigint') return true;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Opaque) return sizeOf(value) !== 0;
  return dictEntries(value as PlainObject).length > 0;
}

/** The truth of a value that may be stored. Usually its length is known without reading it. */
export function truthOf(rt: Runtime, value: unknown): boolean {
  if (!isReference(value)) return truthy(value);
  const length = storedLength(value);
  return length === undefined ? truthy(load(rt, value, rt.at)) : length > 0;
}

/** Ranges are false when empty; other objects are always true. */
const sizeOf = (value: Opaque): number => ('length' in value ? Number(value.length) : 1);

type Numeric = number | bigint;

/** The value as a number, or JS undefined. Booleans count as numbers, as in Python. */
function numeric(value: unknown): Numeric | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Float) return value.value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

/** Also compares a number with a bigint exactly. */
function orderNumbers(a: Numeric, b: Numeric): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;
}

export function equal(rt: Runtime, a: unknown, b: unknown, depth = 0): boolean {
  if (typeof a === 'string' || typeof b === 'string') {
    if (typeof a === 'string' && a.length > 64) rt.spend(a.length >> 6);
    return a === b;
  }
  if (a instanceof Undefined || b instanceof Undefined) return false;
  const left = numeric(a);
  const right = numeric(b);
  if (left !== undefined && right !== undefined) return orderNumbers(left, right) === 0;
  if (a === b) return true;
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
  if (Array.isArray(a) && Array.isArray(b)) return equalLists(rt, a, b, depth);
  if (isDict(a) && isDict(b)) return equalDicts(rt, a, b, depth);
  return (
    a instanceof Opaque && b instanceof Opaque && a.type === 'range' && a.text() === (b as Opaque).text()
  );
}

function equalLists(rt: Runtime, a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  rt.spend(a.length + 1);
  if (a instanceof Tuple !== b instanceof Tuple || a.length !== b.length) return false;
  return a.every((item, index) => equal(rt, item, b[index], depth + 1));
}

function equalDicts(rt: Runtime, a: PlainObject | Dict, b: PlainObject | Dict, depth: number): boolean {
  const entries = dictEntries(a);
  rt.spend(entries.length + 1);
  if (entries.length !== dictEntries(b).length) return false;
  return entries.every(([key, value]) => dictHas(b, key) && equal(rt, value, dictGet(b, key), depth + 1));
}

/** Negative, zero or positive; NaN if one is a NaN float. */
export function order(rt: Runtime, a: unknown, b: unknown, depth = 0): number {
  rt.spend();
  if (typeof a === 'string' && typeof b === 'string') {
    rt.spend(Math.min(a.length, b.length) >> 4);
    return orderText(a, b);
  }
  const left = numeric(a);
  const right = numeric(b);
  if (left !== undefined && right !== undefined) return orderNumbers(left, right);
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
  if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) {
    return orderLists(rt, a, b, depth);
  }
  if (a instanceof Opaque && b instanceof Opaque && a.type === 'datetime' && b.type === 'datetime') {
    return orderText(a.text(), b.text());
  }
  throw typeFault(`cannot order ${typeName(a)} and ${typeName(b)}`, orderHint(a, b));
}

function orderHint(a: unknown, b: unknown): string | undefined {
  const mixed =
    (typeof a === 'string' && (isInt(b) || isFloat(b))) ||
    (typeof b === 'string' && (isInt(a) || isFloat(a)));
  return mixed ? 'convert the string with "| int" or "| float"' : undefined;
}

function orderLists(rt: Runtime, a: readonly unknown[], b: readonly unknown[], depth: number): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    rt.spend(2);
    if (!equal(rt, a[index], b[index], depth + 1)) return order(rt, a[index], b[index], depth + 1);
  }
  return a.length - b.length;
}

/** By code point. UTF-16 order differs only between surrogates and the top of the basic plane. */
export function orderText(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    if (a.charCodeAt(index) === b.charCodeAt(index)) continue;
    const paired = index > 0 && (a.charCodeAt(index - 1) & 0xfc00) === 0xd800;
    const place = paired ? index - 1 : index;
    return a.codePointAt(place)! < b.codePointAt(place)! ? -1 : 1;
  }
  return a.length - b.length;
}

export function contains(rt: Runtime, container: unknown, item: unknown): boolean {
  if (container instanceof Undefined || item instanceof Undefined) return false;
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw typeFault(`"in" a string needs a string, got ${typeName(item)}`);
    rt.spend(1 + container.length / 64);
    return container.includes(item);
  }
  if (isDict(container)) return dictHas(container, item);
  const items = iterate(rt, container);
  return items.some((candidate) => equal(rt, candidate, item));
}

export function compareWith(rt: Runtime, operator: CompareOperator, a: unknown, b: unknown): boolean {
  switch (operator) {
    case '==':
      return equal(rt, a, b);
    case '!=':
      return !equal(rt, a, b);
    case 'in':
      return contains(rt, b, a);
    case 'not in':
      return !contains(rt, b, a);
    default:
      return ordered(rt, operator, a, b);
  }
}

function ordered(rt: Runtime, operator: '<' | '<=' | '>' | '>=', a: unknown, b: unknown): boolean {
  if (a instanceof Undefined || b instanceof Undefined) return false;
  const sign = order(rt, a, b);
  if (operator === '<') return sign < 0;
  if (operator === '<=') return sign <= 0;
  return operator === '>' ? sign > 0 : sign >= 0;
}
