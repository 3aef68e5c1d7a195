/**
 * Owns: formatting numbers: fixed, exponent, general, other bases, sign, grouping. printf.ts and format-string.ts share
 * it. Digits are exact: on exact ties, JavaScript's toFixed and toExponential round half away from zero and Python half
 * to even, so ties are resolved here.
 */
import { padExponent } from './float-text.ts';
import { roundFloat } from './python-number.ts';
import { valueFault } from './template-error.ts';

export const MAX_PRECISION = 100;

export function checkPrecision(precision: number): number {
  if (precision > MAX_PRECISION)
    throw valueFault(`a precision of ${precision} is more than ${MAX_PRECISION} digits`);
  return precision;
}

/** `value` must not be negative. */
export function formatFloat(value: number, type: string, precision: number, alternate = false): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return 'inf';
  switch (type) {
    case 'e':
      return padExponent(value.toExponential(precision));
    case 'g':
      return general(value, precision === 0 ? 1 : precision, alternate);
    default:
      return fixed(value, precision);
  }
}

function fixed(value: number, precision: number): string {
  if (value >= 1e21) return BigInt(value).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
  const rounded = precision <= 22 ? roundFloat(value, precision) : value;
  return rounded >= 1e21 ? fixed(rounded, precision) : rounded.toFixed(precision);
}

/** Fixed or exponent, whichever is shorter, without trailing zeros. */
function general(value: number, precision: number, alternate: boolean): string {
  const exponent = value === 0 ? 0 : Number(value.toExponential(precision - 1).split('e')[1]);
  const small = exponent < -4 || exponent >= precision;
  const text = small
    ? value.toExponential(precision - 1)
    : value.toFixed(Math.max(0, precision - 1 - exponent));
  if (alternate) return small ? padExponent(text) : text;
  const [mantissa, power] = text.split('e') as [string, string?];
  const trimmed = mantissa.includes('.') ? mantissa.replace(/0+$/, '').replace(/\.$/, '') : mantissa;
  return power === undefined ? trimmed : padExponent(`${trimmed}e${power}`);
}

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

/** `value` must not be negative. */
export function formatInt(value: number | bigint, type: string, alternate: boolean): string {
  const base = BASES[type] ?? 10;
  const digits = value.toString(base);
  const text = alternate && base !== 10 ? `0${type.toLowerCase()}${digits}` : digits;
  return type === 'X' ? text.toUpperCase() : text;
}

export function groupDigits(text: string, separator: string, size = 3): string {
  const end = text.search(/[.e]/);
  const whole = end < 0 ? text : text.slice(0, end);
  const parts: string[] = [];
  for (let at = whole.length; at > 0; at -= size) parts.unshift(whole.slice(Math.max(0, at - size), at));
  return parts.join(separator) + (end < 0 ? '' : text.slice(end));
}
