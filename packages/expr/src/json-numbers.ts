/** Owns: the numbers in JSON text: which of them `JSON.parse` would change, and their values. */
import { type Float, makeFloat } from './float.ts';

/** Python's own limit. Longer ints would take long to read. */
export const MAX_DIGITS = 4300;
/** With this many digits, every int is a safe integer, and every fraction stays distinct from an integer. */
const SAFE_DIGITS = 15;

const QUOTE = 0x22;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;

const isDigit = (unit: number): boolean => unit >= ZERO && unit <= NINE;

/**
 * Whether a number in this JSON text needs more than `JSON.parse`: a long int, -0, or a possible integral float, such
 * as `1.0`, an exponent, or a fraction that begins with so many 0s or 9s that the nearest double is an integer.
 */
export function hasDelicateNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (isDigit(unit)) {
      const start = at;
      at = afterDigits(text, at);
      if (text.charCodeAt(at) === DOT) {
        const near = afterRun(text, at + 1);
        at = afterDigits(text, near);
        if (near - start > SAFE_DIGITS || (near === at && text.charCodeAt(at - 1) === ZERO)) return true;
      } else if (at - start > SAFE_DIGITS || isMinusZero(text, start, at)) return true;
      if (text.charCodeAt(at) === LOWER_E || text.charCodeAt(at) === UPPER_E) return true;
    }
  }
  return false;
}

function afterDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** The position after the zeros or nines at `from`. */
function afterRun(text: string, from: number): number {
  const lead = text.charCodeAt(from);
  let at = from;
  if (lead === ZERO || lead === NINE) while (text.charCodeAt(at) === lead) at++;
  return at;
}

const isMinusZero = (text: string, start: number, end: number): boolean =>
  end - start === 1 && text.charCodeAt(start) === ZERO && text.charCodeAt(start - 1) === MINUS;

/** The position of the closing quote of the string that begins here. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** A number that is valid JSON but too large for a float. */
export class NotFinite extends SyntaxError {}

/** Reads a number in JSON notation; null if it is too large for a float. */
export function readNumber(written: string): number | bigint | Float | null {
  if (/[.eE]/.test(written)) {
    const value = Number(written);
    return Number.isFinite(value) ? makeFloat(value) : null;
  }
  if (written.length <= SAFE_DIGITS) return Number(written) + 0;
  return readLongInt(written);
}

export function refuseLong(int: string): void {
  const digits = int.startsWith('-') ? int.length - 1 : int.length;
  if (digits > MAX_DIGITS)
    throw new SyntaxError(`a number of ${digits} digits is too long: the limit is ${MAX_DIGITS} digits`);
}

function readLongInt(written: string): number | bigint {
  refuseLong(written);
  const value = BigInt(written);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
