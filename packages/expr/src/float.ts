/** Owns: floats with an integral value (2.0, 1e300, -0.0). All other floats are plain numbers. */
import { floatText } from './float-text.ts';

/** Precedes a Float's text while `encodeJson` writes; `JSON.stringify` escapes it. */
export const FLOAT_MARK = '\u0001';

let marked: { count: number } | undefined;

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
  /** On its own, `JSON.stringify` can only write 2 for 2.0. */
  toJSON(): number | string {
    if (marked === undefined) return this.value;
    marked.count += 1;
    return FLOAT_MARK + floatText(this.value);
  }
}

/** `JSON.stringify` with a mark before each Float, and the number of Floats. */
export function stringifyMarked(
  value: unknown,
  indent: number,
): { text: string | undefined; floats: number } {
  const outer = marked;
  const counter = { count: 0 };
  marked = counter;
  try {
    return { text: JSON.stringify(value, null, indent), floats: counter.count };
  } finally {
    marked = outer;
  }
}

export const makeFloat = (value: number): number | Float =>
  Number.isInteger(value) ? new Float(value) : value;
