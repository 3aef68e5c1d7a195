/** Owns: the float whose value is integral (2.0, 1e300, -0.0); all other floats are plain numbers. */
import { floatText } from './float-text.ts';

let written = 0;

export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
  valueOf(): number {
    return this.value;
  }
  toString(): string {
    return floatText(this.value);
  }
  /** `JSON.stringify` can only write 2 for 2.0; the count tells `encodeJson` that it did. */
  toJSON(): number {
    written += 1;
    return this.value;
  }
}

/** How many Floats `JSON.stringify` has met so far. */
export const floatsWritten = (): number => written;

export const makeFloat = (value: number): number | Float =>
  Number.isInteger(value) ? new Float(value) : value;
