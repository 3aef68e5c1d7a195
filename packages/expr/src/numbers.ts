/**
 * Owns: arithmetic with Python's int and float. Ints are exact: beyond 2^53 they become bigints, up to Python's own
 * limit of 4300 digits. Floats stay floats (4 / 2 is 2.0).
 */
import type { BinaryOperator } from './ast.ts';
import { floatPower } from './float-power.ts';
import { bitLength, nearestDouble } from './nearest-double.ts';
import { fuelFault, typeFault, valueFault } from './template-error.ts';
import { Float, makeFloat, typeName } from './values.ts';

/** The bits of 4300 decimal digits. */
const MAX_BITS = 14_284;

export type Int = number | bigint;
export type PyNumber = Int | Float;

export const isNumber = (value: unknown): value is PyNumber | boolean =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  value instanceof Float ||
  typeof value === 'boolean';

/** A number as an int, or JS undefined if it is a float. */
function asInt(value: PyNumber | boolean): Int | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** The value as a JavaScript number. */
export function toNumber(value: PyNumber | boolean): number {
  if (value instanceof Float) return value.value;
  const number = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(number))
    throw valueFault('this int is too large for a float');
  return number;
}

export function makeInt(value: Int): Int {
  if (typeof value === 'number') return value;
  const small = Number(value);
  if (Number.isSafeInteger(small)) return small;
  if (!Number.isFinite(small) && value.toString(16).length * 4 > MAX_BITS)
    throw fuelFault('this int is too large');
  return value;
}

/** Separate from the other operators, because pages that fold a run only add. */
export function sum(a: PyNumber | boolean, b: PyNumber | boolean): PyNumber {
  const left = asInt(a);
  const right = asInt(b);
  if (left === undefined || right === undefined) return makeFloat(toNumber(a) + toNumber(b));
  const small = Number(left) + Number(right);
  return typeof left === 'number' && typeof right === 'number' && Number.isSafeInteger(small)
    ? small
    : makeInt(BigInt(left) + BigInt(right));
}

export function arithmetic(operator: BinaryOperator, a: PyNumber | boolean, b: PyNumber | boolean): PyNumber {
  if (operator === '+') return sum(a, b);
  const left = asInt(a);
  const right = asInt(b);
  if (left !== undefined && right !== undefined) return onInts(operator, left, right);
  return onFloats(operator, toNumber(a), toNumber(b));
}

function onInts(operator: BinaryOperator, a: Int, b: Int): PyNumber {
  if (operator === '/') return divideInts(a, b);
  if (operator === '**') return powerOfInts(a, b);
  if (typeof a === 'number' && typeof b === 'number') {
    const result = onSmallInts(operator, a, b);
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : result;
  }
  return makeInt(onBigInts(operator, BigInt(a), BigInt(b)));
}

function onSmallInts(operator: BinaryOperator, a: number, b: number): number {
  switch (operator) {
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '//':
      return (a - floorMod(a, nonZero(b))) / b;
    default:
      return floorMod(a, nonZero(b));
  }
}

/** The remainder with the sign of the divisor. */
function floorMod(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function onBigInts(operator: BinaryOperator, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      break;
  }
  if (b === 0n) throw valueFault('division by zero');
  const rest = a % b;
  const off = rest !== 0n && rest < 0n !== b < 0n;
  if (operator === '%') return off ? rest + b : rest;
  return a / b - (off ? 1n : 0n);
}

function divideInts(a: Int, b: Int): PyNumber {
  nonZero(Number(b));
  if (typeof a === 'number' && typeof b === 'number') return makeFloat(a / b);
  const quotient = exactQuotient(BigInt(a), BigInt(b));
  if (!Number.isFinite(quotient)) throw valueFault('this int is too large for a float');
  return makeFloat(quotient);
}

/** The bits of a quotient that decide its rounding: those of a double and a few more. */
const QUOTIENT_BITS = 66;

/** Rounded once, as in Python: from enough bits of the quotient, and one more bit that says whether any remained. */
function exactQuotient(a: bigint, b: bigint): number {
  const [top, bottom] = [a < 0n ? -a : a, b < 0n ? -b : b];
  const shift = QUOTIENT_BITS - (bitLength(top) - bitLength(bottom));
  const [dividend, divisor] = shift > 0 ? [top << BigInt(shift), bottom] : [top, bottom << BigInt(-shift)];
  const quotient = dividend / divisor;
  const isExact = quotient * divisor === dividend;
  const nearest = nearestDouble((quotient << 1n) | (isExact ? 0n : 1n), -shift - 1);
  return a < 0n === b < 0n ? nearest : -nearest;
}

function powerOfInts(a: Int, b: Int): PyNumber {
  if (b < 0) return powerOfFloats(toNumber(a), toNumber(b));
  const result = Number(a) ** Number(b);
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(result))
    return result === 0 ? 0 : result;
  const bits = Math.log2(Math.abs(Number(a))) * Number(b);
  if (!(bits <= MAX_BITS)) throw fuelFault('this int is too large');
  return makeInt(BigInt(a) ** BigInt(b));
}

function onFloats(operator: BinaryOperator, a: number, b: number): PyNumber {
  switch (operator) {
    case '-':
      return makeFloat(a - b);
    case '*':
      return makeFloat(a * b);
    case '/':
      return makeFloat(a / nonZero(b));
    case '//':
      return makeFloat(floorDivide(a, nonZero(b)));
    case '%':
      return makeFloat(floatMod(a, nonZero(b)));
    default:
      return powerOfFloats(a, b);
  }
}

function floorDivide(a: number, b: number): number {
  const quotient = (a - floatMod(a, b)) / b;
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function floatMod(a: number, b: number): number {
  if (!Number.isFinite(b) && Number.isFinite(a)) return a === 0 || a < 0 === b < 0 ? a : b;
  const rest = floorMod(a, b);
  return rest === 0 ? (b < 0 ? -0 : 0) : rest;
}

function powerOfFloats(a: number, b: number): PyNumber {
  if (a === 0 && b < 0) throw valueFault('0 cannot be raised to a negative power');
  const result = floatPower(a, b);
  if (Number.isNaN(result) && !Number.isNaN(a) && !Number.isNaN(b)) {
    throw valueFault('the root of a negative number is not a real number');
  }
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw valueFault('this result is too large');
  return makeFloat(result);
}

function nonZero(divisor: number): number {
  if (divisor === 0) throw valueFault('division by zero');
  return divisor;
}

export function negate(value: unknown): PyNumber {
  if (!isNumber(value)) throw typeFault(`cannot negate ${typeName(value)}`);
  const int = asInt(value);
  if (int === undefined) return makeFloat(-toNumber(value));
  return int === 0 ? 0 : makeInt(-int);
}

/** An int argument: an index, a width, a count. */
export function toIndex(value: unknown, what: string): number {
  const int = isNumber(value) ? asInt(value) : undefined;
  if (int === undefined) throw typeFault(`${what} must be an integer, got ${typeName(value)}`);
  return Number(int);
}
