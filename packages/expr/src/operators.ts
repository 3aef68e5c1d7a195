/** Owns: what the arithmetic operators mean on all types. Does not own numbers (numbers.ts) or printf (printf.ts). */
import type { BinaryOperator } from './ast.ts';
import { arithmetic, isNumber, toIndex } from './numbers.ts';
import { printf } from './printf.ts';
import { need, type Runtime } from './runtime.ts';
import { typeFault } from './template-error.ts';
import { isInt, List, listOf, Tuple, tupleOf, typeName } from './values.ts';

/** Arithmetic on ints of thousands of digits takes microseconds, not nanoseconds. */
const LARGE_INT_COST = 100;

export function binary(rt: Runtime, operator: BinaryOperator, left: unknown, right: unknown): unknown {
  rt.spend();
  const a = need(left);
  const b = need(right);
  if (isNumber(a) && isNumber(b)) {
    if (typeof a === 'bigint' || typeof b === 'bigint' || operator === '**') rt.spend(LARGE_INT_COST);
    return arithmetic(operator, a, b);
  }
  const result = onSequences(rt, operator, a, b);
  if (result === undefined)
    throw typeFault(`cannot compute ${typeName(a)} ${operator} ${typeName(b)}`, hintFor(operator, a, b));
  return result;
}

function onSequences(rt: Runtime, operator: BinaryOperator, a: unknown, b: unknown): unknown {
  if (operator === '+') return join(rt, a, b);
  if (operator === '%' && typeof a === 'string') return printf(rt, a, b);
  if (operator !== '*') return undefined;
  if (isInt(b) || typeof b === 'boolean') return repeat(rt, a, toIndex(b, 'the count'));
  return isInt(a) || typeof a === 'boolean' ? repeat(rt, b, toIndex(a, 'the count')) : undefined;
}

function join(rt: Runtime, a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') {
    rt.produce(a.length + b.length);
    return a + b;
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a instanceof Tuple !== b instanceof Tuple) return undefined;
  pay(rt, a.length + b.length);
  return a instanceof Tuple ? tupleOf([...a, ...b]) : listOf([...a, ...b]);
}

function repeat(rt: Runtime, value: unknown, times: number): unknown {
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    rt.produce(value.length * count);
    return value.repeat(value === '' ? 0 : count);
  }
  if (!Array.isArray(value)) return undefined;
  pay(rt, value.length * count);
  const result = value instanceof Tuple ? new Tuple() : new List();
  if (value.length > 0)
    for (let round = 0; round < count; round++) for (const item of value) result.push(item);
  return result;
}

function pay(rt: Runtime, count: number): void {
  rt.produce(count);
  rt.spend(count);
}

function hintFor(operator: BinaryOperator, a: unknown, b: unknown): string | undefined {
  const text = typeof a === 'string' || typeof b === 'string';
  if (operator === '+' && text) return 'join texts with "~", or convert with "| int" or "| float"';
  return text ? 'convert the string with "| int" or "| float"' : undefined;
}
