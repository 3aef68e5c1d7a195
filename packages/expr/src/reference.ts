/**
 * Owns: values that are kept in a store. A reference takes their place, but templates never see it: they see the value.
 *
 * - `settle` (settle.ts) returns a value with every stored part loaded. Code that looks into a value settles it first.
 * - Code that only passes a value on leaves it as it is, so that a large value is not read on the way.
 * - The hint of a reference (hint.ts) answers the most common questions (a top-level field, a length) without reading
 *   anything.
 * - The size of a value (value-size.ts) does not depend on which of its parts are stored.
 * - A handle is the result of the filter `ref`: a reference as plain data, which is never loaded implicitly.
 */
import { type Float, isPlain, type PlainObject } from './values.ts';

export type Plain = null | boolean | number | bigint | Float | string | Plain[] | { [key: string]: Plain };

/** Takes the place of a stored value. */
export type Reference = {
  store: string;
  key: string;
  /** `sha256:<hex>` */
  checksum: string;
  size: number;
  schema_hint: Plain;
  /** What has been appended to a stored list since. */
  more?: More;
};

type More = {
  /** Lists in order, each stored or not. */
  pages: Plain[];
  /** The items after the pages. */
  items: Plain[];
  /** The approximate size of `items`. */
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

/** Whether a value may contain references, by its JSON text. Much cheaper than looking at each of its parts. */
export const mayHoldReference = (json: string): boolean => json.includes(`"${SHA256}`);

function isMore(value: unknown): value is More {
  const { pages, items, bytes } = (value ?? {}) as Record<string, unknown>;
  return Array.isArray(pages) && Array.isArray(items) && typeof bytes === 'number';
}

/** The parts of a list that is stored in parts, as references and lists. Undefined: the stored value is complete. */
export function listParts({ more, ...whole }: Reference): Plain[] | undefined {
  return more && [whole, ...more.pages, more.items];
}

/** How many bytes reading all of it takes. */
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

/** The reference in a handle, or the reference itself. */
export function referenceIn(value: unknown): Reference | undefined {
  if (isReference(value)) return value;
  if (!isHandle(value)) return undefined;
  const { kind: _, ...reference } = value;
  return reference as Reference;
}

/** Whether any part of a value is stored. */
export function holdsStored(value: unknown): boolean {
  return settled(value, () => null) !== value;
}

interface Hint {
  type?: unknown;
  length?: unknown;
  /** All of it, where it is short and no object. */
  value?: Plain;
  /** In bytes, with what is stored of it in turn. */
  whole_size?: unknown;
  keys?: unknown;
  fields?: PlainObject;
  lengths?: PlainObject;
}

export const hintIn = ({ schema_hint }: Reference): Hint =>
  typeof schema_hint === 'object' && schema_hint !== null ? (schema_hint as Hint) : {};

/** Whether the stored bytes are not the whole value: they contain references, or more was appended. */
export const hasStoredParts = ({ schema_hint, more }: Reference): boolean =>
  more !== undefined || (isPlain(schema_hint) && schema_hint.holds_stored === true);

/** Whether the stored value is certainly a list. */
export const isStoredList = (reference: Reference): boolean => hintIn(reference).type === 'list';

/** The length of the stored value, if the hint knows it. */
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

/** The length of a field of the stored value, if the hint knows it. */
export function storedFieldLength(reference: Reference, key: string): number | undefined {
  const { lengths } = hintIn(reference);
  const length = lengths && Object.hasOwn(lengths, key) ? lengths[key] : undefined;
  return typeof length === 'number' ? length : undefined;
}

/** A field of the stored value, as far as the hint knows it; 'unknown' if the hint does not say. */
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

export type Load = (reference: Reference) => unknown;

/** Large values without references. They do not change, so they need no second look. */
const plain = new WeakSet<object>();
const LARGE = 32;
let visited = 0;
let found = 0;

/** Returns the same object if nothing in it is stored. Values that templates make contain no references. */
export function settled(value: unknown, loaded: Load): unknown {
  return replaced(value, (reference) => settled(loaded(reference), loaded));
}

/**
 * Turns outside data into data: an object that looks like a reference gets a different shape. Every entry point for
 * such data calls this, so that every reference is one that Woof made. `isOwn`: the references that Woof did make.
 */
export function asData(value: unknown, isOwn: (reference: Reference) => boolean = () => false): unknown {
  return replaced(value, (reference) => (isOwn(reference) ? reference : asData(unlike(reference), isOwn)));
}

const unlike = (reference: Reference): PlainObject => ({ kind: 'data', ...reference });

/** Returns the same object if nothing in it is a reference. */
export function replaced(value: unknown, replace: Load): unknown {
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
