/**
 * Owns: `a.b`, `a[k]` and slices. A missing member is a chainable Undefined that knows the expression as written.
 * Invariant: only own keys, indices and the attributes that an Opaque declares; never a JavaScript property.
 */
import { hasPairs, Sequence } from './iterate.ts';
import { didYouMean } from './nearest.ts';
import { toIndex } from './numbers.ts';
import { isReference, type Reference, storedField } from './reference.ts';
import type { Runtime } from './runtime.ts';
import { load } from './settle.ts';
import { type Span, typeFault, valueFault, written } from './template-error.ts';
import {
  dictGet,
  dictKeys,
  Group,
  isDict,
  isInt,
  listOf,
  Opaque,
  Tuple,
  tupleOf,
  typeName,
  Undefined,
  View,
} from './values.ts';

/** The span of an attribute or item, whose object may have its own span. */
export type MemberSpan = Span & { readonly object?: Span };

export function getAttribute(rt: Runtime, object: unknown, name: string, span: MemberSpan): unknown {
  if (isReference(object)) return memberOfStored(rt, object, name, span);
  const value = attributeOf(object, name);
  return value === undefined ? missing(object, name, span) : value;
}

function attributeOf(object: unknown, name: string): unknown {
  if (isDict(object)) return dictGet(object, name);
  if (object instanceof Opaque) return object.attribute(name);
  if (!(object instanceof Group)) return undefined;
  return name === 'grouper' ? object[0] : name === 'list' ? object[1] : undefined;
}

export function getItem(rt: Runtime, object: unknown, key: unknown, span: MemberSpan): unknown {
  if (isReference(object)) return memberOfStored(rt, object, key, span);
  const value = lookup(object, key);
  return value === undefined ? missing(object, key, span) : value;
}

/** If the reference's hint knows the member, nothing is read. */
function memberOfStored(rt: Runtime, reference: Reference, key: unknown, span: MemberSpan): unknown {
  const known = typeof key === 'string' ? storedField(reference, key) : 'unknown';
  if (known === 'unknown') return getItem(rt, load(rt, reference, span.object ?? span), key, span);
  if ('value' in known) return known.value;
  return missing(Object.fromEntries(known.keys.map((name) => [name, null])), key, span);
}

/** JS undefined if it does not exist. */
function lookup(object: unknown, key: unknown): unknown {
  if (isDict(object)) return dictGet(object, key);
  if (typeof key === 'string') return attributeOf(object, key);
  if (typeof key === 'boolean') return lookup(object, key ? 1 : 0);
  if (!isInt(key) || object instanceof View) return undefined;
  const index = Number(key);
  if (Array.isArray(object)) return itemAt(object, index);
  if (typeof object === 'string') return itemAt(hasPairs(object) ? Array.from(object) : object, index);
  if (object instanceof Sequence)
    return index < object.length && index >= -object.length
      ? object.at(index < 0 ? index + object.length : index)
      : undefined;
  return undefined;
}

function itemAt(items: ArrayLike<unknown>, index: number): unknown {
  const value = items[index < 0 ? index + items.length : index];
  return typeof value === 'function' ? undefined : value;
}

/** Why a member is missing. Anything reached through a missing member keeps the first reason. */
export function missing(object: unknown, key: unknown, span: MemberSpan): Undefined {
  if (object instanceof Undefined) return new Undefined(span, object.why, object.hint);
  const owner = span.object ? `"${written(span.object)}" (${typeName(object)})` : `the ${typeName(object)}`;
  const name =
    typeof key === 'string' ? `"${key}"` : isInt(key) ? `item ${key}` : `such ${typeName(key)} as a key`;
  return new Undefined(span, `${owner} has no ${name}`, memberHint(object, key));
}

function memberHint(object: unknown, key: unknown): string | undefined {
  if (!isDict(object) || typeof key !== 'string') return undefined;
  const keys = dictKeys(object).filter((candidate) => typeof candidate === 'string');
  return didYouMean(key, keys) ?? listKeys(keys);
}

const SHOWN_KEYS = 8;

function listKeys(keys: readonly string[]): string | undefined {
  if (keys.length === 0) return 'it is empty';
  return `it has ${keys.slice(0, SHOWN_KEYS).join(', ')}${keys.length > SHOWN_KEYS ? ', …' : ''}`;
}

/** `object[start:stop:step]`. */
export function slice(rt: Runtime, object: unknown, parts: readonly unknown[], span: MemberSpan): unknown {
  if (typeof object === 'string') return pick(rt, Array.from(object), parts).join('');
  if (object instanceof View || !Array.isArray(object)) {
    return object instanceof Undefined ? missing(object, null, span) : refuse(object);
  }
  const items = pick(rt, object, parts);
  return object instanceof Tuple ? tupleOf(items) : listOf(items);
}

function refuse(object: unknown): never {
  throw typeFault(`cannot slice ${typeName(object)}`);
}

function pick(rt: Runtime, items: readonly unknown[], parts: readonly unknown[]): unknown[] {
  const { start, stop, step } = bounds(items.length, parts);
  const count = Math.max(0, Math.ceil((stop - start) / step));
  rt.spend(count * 2 + 1);
  rt.produce(count);
  if (step === 1) return items.slice(start, Math.max(start, stop));
  return Array.from({ length: count }, (_, index) => items[start + index * step]);
}

function bounds(length: number, parts: readonly unknown[]): { start: number; stop: number; step: number } {
  const read = (part: unknown): number | undefined =>
    part === undefined || part === null ? undefined : toIndex(part, 'a slice index');
  const step = read(parts[2]) ?? 1;
  if (step === 0) throw valueFault('a slice step cannot be zero');
  const low = step > 0 ? 0 : -1;
  const high = step > 0 ? length : length - 1;
  const clamp = (index: number | undefined, fallback: number): number =>
    index === undefined ? fallback : Math.min(high, Math.max(low, index < 0 ? index + length : index));
  return {
    start: clamp(read(parts[0]), step > 0 ? low : high),
    stop: clamp(read(parts[1]), step > 0 ? high : low),
    step,
  };
}
