/** Values, and their JSON text. `bigint` and `Float` are numbers that a plain `number` cannot represent: see `expr`. */
import {
  decodeJson as decode,
  decodeFinite as decodeGiven,
  decodeStored as decodeOwn,
  Float,
  makeFloat,
} from '@woof/expr';

export { encodeJson, encodeStored, Float, makeFloat } from '@woof/expr';

export type Json = null | boolean | number | bigint | Float | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

/** For data: NaN and infinities become null. Throws a SyntaxError if the text is not JSON. */
export const decodeJson = <T = Json>(text: string): T => decode(text) as T;

/** For input from a person or a caller: NaN and infinities are a SyntaxError too. */
export const decodeFinite = <T = Json>(text: string): T => decodeGiven(text) as T;

/** For text that `encodeStored` made. */
export const decodeStored = <T = Json>(text: string): T => decodeOwn(text) as T;

/** A number of any kind as a JavaScript number, or undefined: for limits, delays and counts. */
export function plainNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof Float || typeof value === 'bigint' ? Number(value) : undefined;
}

/** Deep merge for spec layers: maps merge, the inner layer wins on conflicts, lists and scalars replace. */
export function mergeLayers(...layers: (JsonObject | undefined)[]): JsonObject {
  const merged: JsonObject = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      const outer = Object.hasOwn(merged, key) ? merged[key] : undefined;
      define(merged, key, isObject(outer) && isObject(value) ? mergeLayers(outer, value) : value);
    }
  }
  return merged;
}

/** Sets an own key, even if the key is `__proto__`. */
export function define(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/**
 * The same value with JavaScript's own numbers only, for code that computes with them: charts, and JavaScript in pages.
 */
export function withPlainFloats(value: Json): Json {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(withPlainFloats);
  if (!isObject(value)) return value;
  const plain: JsonObject = {};
  for (const [key, item] of Object.entries(value)) define(plain, key, withPlainFloats(item));
  return plain;
}

/** An int of any size: a `number` if that is safe. */
export function makeInt(value: bigint): number | bigint {
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** NaN and infinities are not JSON: in data they are null. */
export function floatOrNull(value: number): number | Float | null {
  return Number.isFinite(value) ? makeFloat(value) : null;
}

/** The same limit as Python's. */
const LONGEST_INT = 4300;

/**
 * An int if it has no fraction. Otherwise a float if the float prints the same number, else text: nothing is rounded.
 */
export function decimalNumber(text: string): number | bigint | Float | string | null {
  if (text.length > LONGEST_INT) return text;
  if (/^-?\d+$/.test(text)) return makeInt(BigInt(text));
  if (!/^-?[\d.]+$/.test(text)) return floatOrNull(Number(text));
  const nearest = Number(text);
  return significant(nearest.toExponential()) === significant(text) ? makeFloat(nearest) : text;
}

function significant(decimal: string): string {
  return decimal.replace(/e.*|^-?[0.]*|\./g, '').replace(/0+$/, '');
}
