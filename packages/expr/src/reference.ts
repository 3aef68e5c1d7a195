/**
 * Owns: values that lie in a store. A reference stands in their place, and templates never see it: they see the value.
 *
 * - `settle` gives a value with every stored part of it in place. Whoever looks into a value settles it first.
 * - Whoever only hands a value on leaves it as it is, so that a large one is not read on its way.
 * - The hint of a reference answers what decisions most often ask (a field at the top, a length) without reading anything.
 * - A handle is what the filter `ref` gives: a reference as plain data, which stays what it is.
 */
import { type BlobError, tooLarge } from './blob-error.ts';
import type { Runtime } from './runtime.ts';
import { Fault, type Span, written } from './template-error.ts';
import { Float, isPlain, type PlainObject } from './values.ts';

type Plain = null | boolean | number | bigint | Float | string | Plain[] | { [key: string]: Plain };

/** Stands in place of a stored value. */
export type Reference = {
  store: string;
  key: string;
  /** `sha256:<hex>` */
  checksum: string;
  size: number;
  schema_hint: Plain;
  /** What was appended to a stored list since. */
  more?: More;
};

type More = {
  /** Lists, stored or not, in order. */
  pages: Plain[];
  /** The items after those. */
  items: Plain[];
  /** About the size of `items`. */
  bytes: number;
};

/** A reference as data. */
export type Handle = { kind: 'reference' } & Reference;

const KEYS = 5;
const SHA256 = 'sha256:';

export function isReference(value: unknown): value is Reference {
  return (
    hasItsFields(value) &&
    'schema_hint' in value &&
    Object.keys(value).length === ('more' in value && isMore(value.more) ? KEYS + 1 : KEYS)
  );
}

function isMore(value: unknown): value is More {
  const { pages, items, bytes } = (value ?? {}) as Record<string, unknown>;
  return Array.isArray(pages) && Array.isArray(items) && typeof bytes === 'number';
}

/** A list that is stored in parts: the stored ones, and lists. Undefined: what is stored is whole. */
export function listParts({ more, ...whole }: Reference): Plain[] | undefined {
  return more && [whole, ...more.pages, more.items];
}

/** How many bytes are read where all of it is. */
export function storedSize({ size, more }: Reference): number {
  if (more === undefined) return size;
  return more.pages.reduce<number>(
    (sum, page) => sum + (isReference(page) ? page.size : 0),
    size + more.bytes,
  );
}

export function isHandle(value: unknown): value is Handle {
  return hasItsFields(value) && (value as Partial<Handle>).kind === 'reference';
}

function hasItsFields(value: unknown): value is Reference {
  if (typeof value !== 'object' || value === null) return false;
  const { checksum, store, key, size } = value as Record<string, unknown>;
  return (
    typeof checksum === 'string' &&
    checksum.length === SHA256.length + 64 &&
    checksum.startsWith(SHA256) &&
    typeof store === 'string' &&
    typeof key === 'string' &&
    typeof size === 'number'
  );
}

export function handleOf({ store, key, checksum, size, schema_hint }: Reference): Handle {
  return { kind: 'reference', store, key, checksum, size, schema_hint };
}

/** What a handle refers to, or the reference itself. */
export function referenceIn(value: unknown): Reference | undefined {
  if (isReference(value)) return value;
  if (!isHandle(value)) return undefined;
  const { kind: _, ...reference } = value;
  return reference as Reference;
}

/** Most fields that a hint names, and how long all that it tells of them may be. */
const MOST_KEYS = 20;
const LONGEST_FIELD = 256;
const LONGEST_FIELDS = 2048;

/**
 * What is told of a value beside its reference: its type and length; of an object its first keys, the fields that are
 * short, and the lengths of those that are lists or objects; and whether parts of the value are stored elsewhere in turn.
 */
export function hintOf(value: unknown): Plain {
  const parts: { [key: string]: Plain } = holdsStored(value) ? { holds_stored: true } : {};
  if (Array.isArray(value))
    return { type: 'list', length: value.length, ...(isTable(value) ? { items: 'objects' } : {}), ...parts };
  if (!isPlain(value))
    return { type: typeof value === 'bigint' || value instanceof Float ? 'number' : typeof value };
  const entries = Object.entries(value as Record<string, Plain>);
  const fields: Record<string, Plain> = {};
  const lengths: Record<string, number> = {};
  let room = LONGEST_FIELDS;
  for (const [key, field] of entries.slice(0, MOST_KEYS)) {
    if (key === '__proto__' || isReference(field)) continue;
    const size = key.length + shortSize(field);
    if (size <= LONGEST_FIELD && size <= room) {
      fields[key] = field;
      room -= size;
    } else if (Array.isArray(field)) lengths[key] = field.length;
    else if (isPlain(field)) lengths[key] = Object.keys(field).length;
  }
  const keys = entries.slice(0, MOST_KEYS).map(([key]) => key);
  return { type: 'object', length: entries.length, keys, fields, lengths, ...parts };
}

/** Whether any part of a value is stored. */
export function holdsStored(value: unknown): boolean {
  return settled(value, () => null) !== value;
}

/** Rows that any reader of JSON takes as they are. */
function isTable(list: unknown[]): boolean {
  const isPlainField = (field: unknown) =>
    typeof field !== 'bigint' && !Array.isArray(field) && !isPlain(field);
  return list.every((row) => isPlain(row) && !isReference(row) && Object.values(row).every(isPlainField));
}

/** Roughly the length of its JSON; infinite where that is surely too long to be told. */
function shortSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'bigint') return String(value).length;
  if (!Array.isArray(value) && !isPlain(value)) return 8;
  const items = Object.entries(value);
  if (items.length > MOST_KEYS || isReference(value)) return Number.POSITIVE_INFINITY;
  return items.reduce((sum, [key, item]) => sum + key.length + shortSize(item), 2);
}

interface Hint {
  type?: unknown;
  length?: unknown;
  keys?: unknown;
  fields?: PlainObject;
  lengths?: PlainObject;
}

const hintIn = ({ schema_hint }: Reference): Hint =>
  typeof schema_hint === 'object' && schema_hint !== null ? (schema_hint as Hint) : {};

/** Whether the stored bytes are not all of the value: they hold references in turn, or more was appended. */
export const hasStoredParts = ({ schema_hint, more }: Reference): boolean =>
  more !== undefined || (isPlain(schema_hint) && schema_hint.holds_stored === true);

/** What is stored is surely a list. */
export const isStoredList = (reference: Reference): boolean => hintIn(reference).type === 'list';

/** The length of what is stored, where the hint knows it. */
export function storedLength(reference: Reference): number | undefined {
  const parts = listParts(reference);
  if (parts) return parts.map(partLength).reduce(added, 0);
  const { type, length } = hintIn(reference);
  return (type === 'list' || type === 'object') && typeof length === 'number' ? length : undefined;
}

const added = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

const partLength = (part: Plain): number | undefined =>
  isReference(part) ? storedLength(part) : (part as Plain[]).length;

/** The length of a field of what is stored, where the hint knows it. */
export function storedFieldLength(reference: Reference, key: string): number | undefined {
  const { lengths } = hintIn(reference);
  const length = lengths && Object.hasOwn(lengths, key) ? lengths[key] : undefined;
  return typeof length === 'number' ? length : undefined;
}

/** A field of what is stored, as far as the hint knows: 'unknown' where it says nothing of it. */
export function storedField(
  reference: Reference,
  key: string,
): { value: unknown } | { keys: string[] } | 'unknown' {
  const { type, length, keys, fields } = hintIn(reference);
  if (type !== 'object') return 'unknown';
  if (fields && Object.hasOwn(fields, key)) return { value: fields[key] };
  const known = Array.isArray(keys) ? (keys as string[]) : [];
  return length === known.length && !known.includes(key) ? { keys: known } : 'unknown';
}

/** Whether what is stored is an object with such a key. */
export function hasStoredField(rt: Runtime, reference: Reference, key: string, at: Span): boolean {
  const { type } = hintIn(reference);
  if (type === 'list' || type === 'string') return false;
  const field = storedField(reference, key);
  if (field !== 'unknown') return 'value' in field;
  const value = load(rt, reference, at);
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
}

/** What lies there, its own parts still as they are stored. */
export function load(rt: Runtime, reference: Reference, at: Span): unknown {
  if (!rt.host.load) throw new Fault('expr/host', 'this template cannot read stored values', undefined, at);
  try {
    return rt.host.load(reference) ?? null;
  } catch (error) {
    throw unloadable(at, error);
  }
}

/** The value as it is meant: with what is stored in place of references, also inside of it. */
export function settle(rt: Runtime, value: unknown, at: Span): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { loadableBytes } = rt.host;
  return settled(
    value,
    withinBytes(
      loadableBytes,
      (reference) => load(rt, reference, at),
      (error) => unloadable(at, error),
    ),
  );
}

/** Loads the parts of one value, and no more of them than may be loaded together. */
export function withinBytes(
  most: number | undefined,
  loaded: Load,
  told: (error: BlobError) => Error = (error) => error,
): Load {
  let size = 0;
  return (reference) => {
    const own = storedSize(reference);
    size += own;
    if (most !== undefined && size > most && size > own)
      throw told(tooLarge('its stored parts together have', size, most));
    return loaded(reference);
  };
}

function unloadable(at: Span, error: unknown): Fault {
  const why = error instanceof Error ? error.message : String(error);
  return new Fault('expr/host', `"${written(at)}" cannot be loaded: ${why}`, undefined, at, error);
}

export type Load = (reference: Reference) => unknown;

/** Large values that hold no reference: they do not change, and need no second look. */
const plain = new WeakSet<object>();
const LARGE = 32;
let visited = 0;
let found = 0;

/** The same object where nothing in it is stored. What templates make themselves holds no references. */
export function settled(value: unknown, loaded: Load): unknown {
  return replaced(value, (reference) => settled(loaded(reference), loaded));
}

/**
 * Outside data as data: what has the shape of a reference gets another, which nobody takes for one. Every door through
 * which such data comes calls this, so that a reference is always one that Woof made. `isOwn`: those that it did make.
 */
export function asData(value: unknown, isOwn: (reference: Reference) => boolean = () => false): unknown {
  return replaced(value, (reference) => (isOwn(reference) ? reference : asData(unlike(reference), isOwn)));
}

const unlike = (reference: Reference): PlainObject => ({ kind: 'data', ...reference });

/** The same object where nothing in it is a reference. */
function replaced(value: unknown, replace: Load): unknown {
  if (typeof value !== 'object' || value === null || plain.has(value)) return value;
  if (Array.isArray(value)) return value.constructor === Array ? replacedInList(value, replace) : value;
  if (!isPlain(value)) return value;
  if (!isReference(value)) return replacedInObject(value, replace);
  found++;
  return replace(value);
}

function replacedInList(list: unknown[], replace: Load): unknown[] {
  const before = { visited, found };
  let copy: unknown[] | undefined;
  visited += list.length;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item !== 'object' || item === null) continue;
    const whole = replaced(item, replace);
    if (whole === item) continue;
    copy ??= list.slice();
    copy[index] = whole;
  }
  if (found === before.found && visited - before.visited > LARGE) plain.add(list);
  return copy ?? list;
}

function replacedInObject(value: PlainObject, replace: Load): PlainObject {
  const before = { visited, found };
  let copy: PlainObject | undefined;
  for (const key in value) {
    visited++;
    const item = value[key];
    if (typeof item !== 'object' || item === null) continue;
    const whole = replaced(item, replace);
    if (whole === item) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, key, { value: whole, enumerable: true, configurable: true, writable: true });
  }
  if (found === before.found && visited - before.visited > LARGE) plain.add(value);
  return copy ?? value;
}
