/**
 * Owns: how many bytes a value has as JSON, with every stored part counted in full. Limits use this size, so it does not
 * matter which parts are stored.
 */
import { type BlobError, tooLarge } from './blob-error.ts';
import { encodeJson } from './exact-json.ts';
import { hintIn, isReference, listParts, type Reference, replaced } from './reference.ts';
import { isPlain } from './values.ts';

/** Of JSON text: an escape such as `\u0000`; a number such as -1.2345678901234567e-300. */
const LONGEST_CHARACTER = 6;
const LONGEST_SCALAR = 25;
const LONGEST_INT = 4301;
const NULL = 4;
const BRACKETS = 2;

/** The error of a value that has more than `most` bytes. */
export function oversize(value: unknown, most: number | undefined): BlobError | undefined {
  if (most === undefined || isSurelyWithin(value, most)) return undefined;
  const size = valueSize(value);
  return size > most ? tooLarge(size, most) : undefined;
}

export function valueSize(value: unknown): number {
  let stored = 0;
  const rest = replaced(value, (reference) => {
    stored += wholeSize(reference) - NULL;
    return null;
  });
  return stored + new TextEncoder().encode(encodeJson(rest)).length;
}

/** Of what a reference stands for. */
export function wholeSize(reference: Reference): number {
  const parts = listParts(reference);
  if (parts) return joinedSize(parts.map(valueSize));
  const { whole_size: whole } = hintIn(reference);
  return typeof whole === 'number' ? whole : reference.size;
}

/** Of lists that become one. */
function joinedSize(sizes: readonly number[]): number {
  const filled = sizes.filter((size) => size > BRACKETS);
  const commas = Math.max(0, filled.length - 1);
  return filled.reduce((sum, size) => sum + size - BRACKETS, BRACKETS + commas);
}

/** Estimates without encoding: most values are small, and encoding would be most of the cost. */
export function isSurelyWithin(value: unknown, bytes: number): boolean {
  return roomAfter(value, bytes) >= 0;
}

/** How much room large values take. They do not change, and need no second look. */
const taken = new WeakMap<object, number>();
const LARGE = 4096;

/** Of `room` bytes, those left after the value's JSON text at its longest; negative where it may not fit. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === 'string') return room - LONGEST_CHARACTER * value.length - 2;
  if (typeof value === 'bigint') return room - LONGEST_INT;
  if (typeof value !== 'object' || value === null) return room - LONGEST_SCALAR;
  const known = taken.get(value);
  if (known !== undefined) return room - known;
  const left = Array.isArray(value) ? roomAfterList(value, room) : roomAfterObject(value, room);
  if (left >= 0 && room - left > LARGE) taken.set(value, room - left);
  return left;
}

function roomAfterList(list: readonly unknown[], room: number): number {
  let left = room - BRACKETS;
  for (let index = 0; index < list.length && left >= 0; index++) left = roomAfter(list[index], left - 1);
  return left;
}

function roomAfterObject(value: object, room: number): number {
  if (!isPlain(value)) return room - LONGEST_SCALAR;
  if (isReference(value)) return room - wholeSize(value);
  let left = room - BRACKETS;
  for (const key in value) {
    if (left < 0) return left;
    left = roomAfter(value[key], left - LONGEST_CHARACTER * key.length - 4);
  }
  return left;
}
