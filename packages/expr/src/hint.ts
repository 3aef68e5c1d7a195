/** Owns: what a reference says about its value. It is the same whichever parts of the value are stored. */
import {
  hintIn,
  isReference,
  listParts,
  type Plain,
  type Reference,
  replaced,
  storedLength,
} from './reference.ts';
import { valueSize } from './value-size.ts';
import { Float, isPlain } from './values.ts';

/** The maximum number of fields in a hint, and the maximum size of one and of all their values. */
const MOST_KEYS = 20;
const LONGEST_FIELD = 256;
const LONGEST_FIELDS = 2048;

/**
 * Its type and length; of an object its first keys, the fields that are short, and the lengths of those that are lists or
 * objects; of anything else the value, if it is short; and, if parts of the value are stored elsewhere in turn, its size.
 */
export function hintOf(value: unknown): Plain {
  let holdsStored = false;
  const seen = replaced(value, (reference) => {
    holdsStored = true;
    return shortValue(reference) ?? reference;
  });
  const parts: Record<string, Plain> = holdsStored
    ? { holds_stored: true, whole_size: valueSize(value) }
    : {};
  if (isPlain(seen)) return { ...objectHint(seen as Record<string, Plain>), ...parts };
  const short = shortSize(seen) <= LONGEST_FIELD ? { value: seen as Plain } : {};
  if (!Array.isArray(seen)) return { type: isNumber(seen) ? 'number' : typeof seen, ...short };
  const rows = isTable(value as unknown[]) ? { items: 'objects' } : {};
  return { type: 'list', length: seen.length, ...rows, ...short, ...parts };
}

const isNumber = (value: unknown): boolean => typeof value === 'bigint' || value instanceof Float;

function objectHint(value: Record<string, Plain>): Record<string, Plain> {
  const entries = Object.entries(value);
  const fields: Record<string, Plain> = {};
  const lengths: Record<string, number> = {};
  let room = LONGEST_FIELDS;
  for (const [key, field] of entries.slice(0, MOST_KEYS)) {
    if (key === '__proto__') continue;
    const size = key.length + shortSize(field);
    const length = lengthOf(field);
    if (size <= LONGEST_FIELD && size <= room) {
      fields[key] = field;
      room -= size;
    } else if (length !== undefined) lengths[key] = length;
  }
  const keys = entries.slice(0, MOST_KEYS).map(([key]) => key);
  return { type: 'object', length: entries.length, keys, fields, lengths };
}

/** Of a list or an object, stored or not. */
function lengthOf(field: Plain): number | undefined {
  if (isReference(field)) return storedLength(field);
  if (Array.isArray(field)) return field.length;
  return isPlain(field) ? Object.keys(field).length : undefined;
}

/** A stored value, if its hint has all of it. */
function shortValue(reference: Reference): Plain | undefined {
  const parts = listParts(reference);
  if (parts) return shortList(parts);
  const { type, length, fields, value } = hintIn(reference);
  if (type !== 'object') return value;
  return fields && Object.keys(fields).length === length ? (fields as Plain) : undefined;
}

function shortList(parts: readonly Plain[]): Plain | undefined {
  const lists = parts.map((part) => (isReference(part) ? shortValue(part) : part));
  return lists.includes(undefined) ? undefined : (lists as Plain[][]).flat();
}

/** Rows that any JSON reader can use unchanged. */
function isTable(list: unknown[]): boolean {
  const isPlainField = (field: unknown) =>
    typeof field !== 'bigint' && !Array.isArray(field) && !isPlain(field);
  return list.every((row) => isPlain(row) && !isReference(row) && Object.values(row).every(isPlainField));
}

/** Roughly the length of its JSON; infinite if that is certainly too long for a hint. */
function shortSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'bigint') return String(value).length;
  if (!Array.isArray(value) && !isPlain(value)) return 8;
  const items = Object.entries(value);
  if (items.length > MOST_KEYS || isReference(value)) return Number.POSITIVE_INFINITY;
  return items.reduce((sum, [key, item]) => sum + key.length + shortSize(item), 2);
}
