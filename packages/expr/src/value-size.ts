/**
 * Owns: how many bytes a value has as JSON, with every stored part counted in full. Limits use this size, so it does not
 * matter which parts are stored.
 */
import { type BlobError, tooLarge } from './blob-error.ts';
import { encodeJson } from './exact-json.ts';
import { Float } from './float.ts';
import { floatText } from './float-text.ts';
import { hintIn, isReference, listParts, type Reference } from './reference.ts';
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
  return sizeOf(value, new Map()) ?? 0;
}

/** By text: its size. A list may contain one long text many times. */
type Texts = Map<string, number>;

/**
 * Lists that contain one list twice, which contains another one twice, and so on, stand for more values than anybody can
 * write. So a large value is counted once, however often it is contained. Undefined: JSON has no text for it.
 */
function sizeOf(value: unknown, texts: Texts): number | undefined {
  if (typeof value === 'string') return textSize(value, texts);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value).length;
  if (typeof value !== 'object' || value === null) return encodeJson(value)?.length;
  if (value instanceof Float) return floatText(value.value).length;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Array.isArray(value) ? listSize(value, texts) : objectSize(value, texts);
  if (size !== undefined && size > LARGE) sizes.set(value, size);
  return size;
}

function listSize(list: readonly unknown[], texts: Texts): number {
  let size = BRACKETS + Math.max(0, list.length - 1);
  for (const item of list) size += sizeOf(item, texts) ?? NULL;
  return size;
}

function objectSize(value: object, texts: Texts): number | undefined {
  if (!isPlain(value)) return bytesOf(encodeJson(value));
  if (isReference(value)) return wholeSize(value);
  let [size, count] = [BRACKETS, 0];
  for (const key of Object.keys(value)) {
    const item = sizeOf(value[key], texts);
    if (item === undefined) continue;
    size += textSize(key, texts) + 1 + item;
    count += 1;
  }
  return size + Math.max(0, count - 1);
}

function textSize(text: string, texts: Texts): number {
  if (text.length <= LARGE) return shortSize(text);
  let size = texts.get(text);
  if (size === undefined) {
    size = bytesOf(JSON.stringify(text));
    texts.set(text, size);
  }
  return size;
}

/** Most texts need no escape, and writing them would be most of the cost. */
function shortSize(text: string): number {
  let size = 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isEscaped = unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff);
    if (isEscaped) return bytesOf(JSON.stringify(text));
    size += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
  }
  return size;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Large values do not change, and need no second look. */
const sizes = new WeakMap<object, number>();
const LARGE = 4096;

/**
 * A lower bound for the text of the value itself, found without writing it; what references stand for does not count. A
 * list may contain one text a million times, and V8 writes all of it before it says that it is too long.
 */
export function leastSize(value: unknown): number {
  if (typeof value === 'string') return value.length + BRACKETS;
  if (typeof value !== 'object' || value === null) return 1;
  const known = least.get(value);
  if (known !== undefined) return known;
  let size = BRACKETS;
  if (Array.isArray(value)) for (const item of value) size += leastSize(item) + 1;
  else if (isPlain(value))
    for (const key of Object.keys(value)) size += key.length + 3 + leastSize(value[key]);
  if (size > LARGE) least.set(value, size);
  return size;
}

const least = new WeakMap<object, number>();

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

/** How much room large values take. */
const taken = new WeakMap<object, number>();

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
