/** Owns: reading numbers from text, as Python's int() and float() do, and Python's round(). */
import { MAX_DIGITS } from './json-numbers.ts';
import { makeInt, type PyNumber } from './numbers.ts';
import { fuelFault } from './template-error.ts';

const DECIMAL_FLOAT =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const PREFIXES: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 16: '0x' };

/** JS undefined if the text is not an int. */
export function readInt(text: string, base: number): number | bigint | undefined {
  const match = /^([+-]?)(.*)$/s.exec(text.trim())!;
  let digits = match[2]!.toLowerCase();
  const actual = base === 0 ? baseOf(digits) : base;
  const prefix = PREFIXES[actual];
  if (prefix && digits.startsWith(prefix)) digits = digits.slice(2).replace(/^_/, '');
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/.test(digits)) return undefined;
  digits = digits.replaceAll('_', '');
  if (digits.length > MAX_DIGITS) throw fuelFault(`a number of ${digits.length} digits is too long`);
  const value = accumulate(digits, actual);
  if (value === undefined) return undefined;
  return makeInt(match[1] === '-' ? -value : value);
}

function baseOf(digits: string): number {
  const found = Object.entries(PREFIXES).find(([, prefix]) => digits.startsWith(prefix));
  return found ? Number(found[0]) : 10;
}

function accumulate(digits: string, base: number): number | bigint | undefined {
  if (base === 10 && /^\d+$/.test(digits)) return digits.length < 16 ? Number(digits) : BigInt(digits);
  let value = 0n;
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= base) return undefined;
    value = value * BigInt(base) + BigInt(worth);
  }
  return value;
}

/** JS undefined if the text is not a float. */
export function readFloat(text: string): number | undefined {
  const trimmed = text.trim();
  if (DECIMAL_FLOAT.test(trimmed)) return Number(trimmed.replaceAll('_', ''));
  const word = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(trimmed);
  if (!word) return undefined;
  if (!word[2]) return Number.NaN;
  return word[1] === '-' ? -Infinity : Infinity;
}

/** Rounds the exact value half to even, as Python rounds floats. */
export function roundFloat(value: number, digits: number): number {
  if (!Number.isFinite(value) || digits > 22 || Math.abs(value) >= 1e21) return value;
  if (digits < 0) {
    const unit = 10 ** Math.min(-digits, 308);
    return halfToEven(value / unit) * unit;
  }
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 40));
  const point = exact.indexOf('.');
  const kept = exact.slice(0, point + 1 + digits);
  const tie = /^50*$/.test(exact.slice(point + 1 + digits));
  const even = /[02468]\.?$/.test(kept);
  const rounded = tie && even ? Number(kept) : Number(Math.abs(value).toFixed(digits));
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

export function roundInt(value: number | bigint, digits: number): PyNumber {
  if (digits >= 0) return value;
  if (digits < -MAX_DIGITS) return 0;
  const unit = 10n ** BigInt(-digits);
  const whole = BigInt(value);
  const rest = ((whole % unit) + unit) % unit;
  const floor = whole - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (floor / unit) % 2n !== 0n);
  return makeInt(up ? floor + unit : floor);
}
