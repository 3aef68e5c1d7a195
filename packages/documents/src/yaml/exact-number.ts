/** A number as written: the value that JavaScript computes with, and the exact number if that cannot represent it. */
import { Float, makeFloat } from '@woof/net';

const INT = /^[-+]?(?:\d+|0o[0-7]+|0x[\da-fA-F]+)$/;
/** The same as in Python: reading more would take long. */
export const MAX_DIGITS = 4300;

export interface ExactNumber {
  value: number;
  exact?: bigint | Float;
}

export const isInt = (written: string): boolean => INT.test(written);

export function exactNumber(written: string, value: number): ExactNumber {
  if (isInt(written)) {
    if (Number.isSafeInteger(value)) return { value: value + 0 };
    return written.length > MAX_DIGITS + 1 ? { value } : { value, exact: bigOf(written) };
  }
  const exact = makeFloat(value);
  return exact instanceof Float ? { value, exact } : { value };
}

function bigOf(written: string): bigint {
  const magnitude = BigInt(written.replace(/^[-+]/, ''));
  return written.startsWith('-') ? -magnitude : magnitude;
}
