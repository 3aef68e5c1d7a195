/** Owns: the `attribute` argument of filters: `'address.city'`, `0`, or for sort `'age,name'`. */
import { getItem } from '../access.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault } from '../template-error.ts';
import { isInt, listOf, typeName, Undefined } from '../values.ts';

export type Getter = (item: unknown) => unknown;

export const ignoreCase = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : value;

/** Reads an attribute of an item. Without an attribute, returns the item itself. */
export function attributeGetter(rt: Runtime, attribute: unknown, fallback?: unknown): Getter {
  if (attribute === undefined || attribute === null) return (item) => item;
  const parts = pathParts(attribute);
  return (item) => {
    rt.spend(parts.length);
    let value = item;
    for (const part of parts) value = getItem(rt, value, part, rt.at);
    return value instanceof Undefined && fallback !== undefined && fallback !== null ? fallback : value;
  };
}

function pathParts(attribute: unknown): (string | number)[] {
  if (isInt(attribute)) return [Number(attribute)];
  if (typeof attribute !== 'string')
    throw typeFault(`an attribute must be a string, got ${typeName(attribute)}`);
  return attribute.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The key to sort by; several attributes make a list of keys. */
export function sortKey(rt: Runtime, attribute: unknown, caseSensitive: boolean): Getter {
  const fold = caseSensitive ? (value: unknown) => value : ignoreCase;
  if (typeof attribute !== 'string' || !attribute.includes(',')) {
    const get = attributeGetter(rt, attribute);
    return (item) => fold(get(item));
  }
  const getters = attribute.split(',').map((part) => attributeGetter(rt, part));
  return (item) => listOf(getters.map((get) => fold(get(item))));
}
