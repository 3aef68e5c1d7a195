/** Owns: filters over sequences. If Jinja2 returns a generator, these return a list. */
import { asStored, define, type Table } from '../builtin.ts';
import { equal, order, truthy } from '../compare.ts';
import { isIterable, iterate, lengthOf, Sequence } from '../iterate.ts';
import { toIndex } from '../numbers.ts';
import { binary } from '../operators.ts';
import { isReference, storedLength } from '../reference.ts';
import type { Runtime } from '../runtime.ts';
import { settle } from '../settle.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { toText } from '../text.ts';
import {
  dictEntries,
  Group,
  hash,
  isDict,
  isHashable,
  type List,
  listOf,
  type Tuple,
  tupleOf,
  typeName,
  Undefined,
  View,
} from '../values.ts';
import { attributeGetter, ignoreCase, sortKey } from './attribute.ts';

/** Creating a list costs as much as many of its items. */
const ROW_COST = 10;

const nothing = (rt: Runtime): Undefined => new Undefined(rt.at, 'the sequence is empty');

function made(rt: Runtime, items: Iterable<unknown>): List {
  const list = listOf(items);
  rt.produce(list.length);
  return list;
}

export function sorted(
  rt: Runtime,
  items: readonly unknown[],
  key: (item: unknown) => unknown,
  reverse: boolean,
): List {
  rt.spend(items.length * 2);
  rt.produce(items.length);
  const keyed = Array.from(items, (item) => ({ item, key: key(item) }));
  keyed.sort((a, b) => (reverse ? order(rt, b.key, a.key) : order(rt, a.key, b.key)));
  return listOf(keyed.map(({ item }) => item));
}

function extreme(
  rt: Runtime,
  value: unknown,
  caseSensitive: unknown,
  attribute: unknown,
  sign: number,
): unknown {
  const items = iterate(rt, value);
  if (items.length === 0) return nothing(rt);
  const get = attributeGetter(rt, attribute);
  const key = (item: unknown): unknown => (truthy(caseSensitive) ? get(item) : ignoreCase(get(item)));
  let best = items[0];
  let bestKey = key(best);
  for (const item of items.slice(1)) {
    const candidate = key(item);
    if (order(rt, candidate, bestKey) * sign > 0) [best, bestKey] = [item, candidate];
  }
  return best;
}

function unique(rt: Runtime, value: unknown, caseSensitive: unknown, attribute: unknown): List {
  const get = sortKey(rt, attribute, truthy(caseSensitive));
  const seen = new Set<unknown>();
  return made(
    rt,
    Array.from(iterate(rt, value)).filter((item) => {
      rt.spend(2);
      const key = get(item);
      if (!isHashable(key))
        throw typeFault(`unique cannot compare ${typeName(key)} values`, 'name an attribute to compare');
      if (seen.has(hash(key))) return false;
      seen.add(hash(key));
      return true;
    }),
  );
}

function groupby(
  rt: Runtime,
  value: unknown,
  attribute: unknown,
  fallback: unknown,
  caseSensitive: unknown,
): List {
  const get = attributeGetter(rt, attribute, fallback);
  const key = truthy(caseSensitive) ? get : (item: unknown) => ignoreCase(get(item));
  const groups = listOf([]);
  let members: List | undefined;
  let last: unknown;
  for (const item of sorted(rt, iterate(rt, value), key, false)) {
    const current = key(item);
    if (members && equal(rt, current, last)) members.push(item);
    else {
      members = listOf([item]);
      const group = new Group();
      group.push(get(item), members);
      groups.push(group);
    }
    last = current;
  }
  return groups;
}

function batch(rt: Runtime, value: unknown, size: unknown, filler: unknown): List {
  const count = toIndex(size, 'the size of a batch');
  const items = iterate(rt, value);
  const rows = listOf([]);
  // Jinja2 never fills a batch with a size below one, so everything goes into the first.
  const step = count < 1 ? Math.max(1, items.length) : count;
  rt.spend(Math.ceil(items.length / step) * ROW_COST);
  for (let at = 0; at < items.length; at += step) rows.push(made(rt, items.slice(at, at + step)));
  const last = rows.at(-1) as List | undefined;
  if (last && filler !== undefined && filler !== null && last.length < count) {
    rt.produce(count - last.length);
    rt.spend(count - last.length);
    while (last.length < count) last.push(filler);
  }
  return rows;
}

function slices(rt: Runtime, value: unknown, count: unknown, filler: unknown): List {
  const items = iterate(rt, value);
  const columns = toIndex(count, 'the number of slices');
  if (columns === 0) throw valueFault('cannot make zero slices');
  rt.spend(Math.max(0, columns) * ROW_COST);
  const size = Math.floor(items.length / columns);
  const extra = items.length % columns;
  const result = listOf([]);
  let at = 0;
  for (let column = 0; column < columns; column++) {
    const end = at + size + (column < extra ? 1 : 0);
    const part = made(rt, items.slice(at, end));
    if (filler !== undefined && filler !== null && column >= extra) part.push(filler);
    result.push(part);
    at = end;
  }
  return result;
}

function reverse(rt: Runtime, value: unknown): unknown {
  if (typeof value === 'string') {
    rt.spend(value.length);
    return Array.from(value).reverse().join('');
  }
  return made(rt, Array.from(iterate(rt, value)).reverse());
}

function joinItems(rt: Runtime, value: unknown, separator: unknown, attribute: unknown): string {
  const get = attributeGetter(rt, attribute);
  const parts = Array.from(iterate(rt, value), (item) => toText(rt, get(item)));
  const between = separator === undefined ? '' : toText(rt, separator);
  rt.produce(parts.reduce((sum, part) => sum + part.length + between.length, 0));
  return parts.join(between);
}

function sum(rt: Runtime, value: unknown, attribute: unknown, start: unknown = 0): unknown {
  if (typeof start === 'string') throw typeFault('cannot sum strings', 'join them with "| join"');
  const get = attributeGetter(rt, attribute);
  return iterate(rt, value).reduce<unknown>((total, item) => binary(rt, '+', total, get(item)), start);
}

function dictsort(
  rt: Runtime,
  value: unknown,
  caseSensitive: unknown,
  by: unknown = 'key',
  backwards?: unknown,
): List {
  if (!isDict(value)) throw typeFault(`dictsort needs a dict, got ${typeName(value)}`);
  if (by !== 'key' && by !== 'value') throw valueFault('dictsort sorts by "key" or "value"');
  const place = by === 'key' ? 0 : 1;
  const fold = truthy(caseSensitive) ? (item: unknown) => item : ignoreCase;
  const pairs = dictEntries(value).map(tupleOf);
  return sorted(rt, pairs, (pair) => fold((pair as Tuple)[place]), truthy(backwards));
}

function itemAt(rt: Runtime, value: unknown, place: 0 | -1): unknown {
  if (value instanceof Sequence)
    return value.length === 0 ? nothing(rt) : value.at(place === 0 ? 0 : value.length - 1);
  const items = iterate(rt, value);
  return items.length === 0 ? nothing(rt) : items.at(place);
}

function random(rt: Runtime, value: unknown): unknown {
  if (!isIterable(value) || isDict(value) || value instanceof View)
    throw typeFault(`random needs a sequence, got ${typeName(value)}`);
  const items = iterate(rt, value);
  if (items.length === 0) return nothing(rt);
  if (!rt.host.random) throw valueFault('random is not available to this template');
  return items[Math.min(items.length - 1, Math.floor(rt.host.random() * items.length))];
}

function items(rt: Runtime, value: unknown): List {
  if (!isDict(value)) throw typeFault(`items needs a dict, got ${typeName(value)}`);
  return made(rt, dictEntries(value).map(tupleOf));
}

/** The length of a stored value is usually known without reading it. */
const count = asStored(
  define('', (rt, value) =>
    isReference(value) ? (storedLength(value) ?? lengthOf(settle(rt, value, rt.at))) : lengthOf(value),
  ),
);

export const listFilters: Table = {
  batch: define('linecount! fill_with', batch),
  count,
  dictsort: define('case_sensitive by reverse', dictsort),
  first: define('', (rt, value) => itemAt(rt, value, 0)),
  groupby: define('attribute! default case_sensitive', groupby),
  items: define('', items),
  join: define('d attribute', joinItems),
  last: define('', (rt, value) => itemAt(rt, value, -1)),
  length: count,
  list: define('', (rt, value) => made(rt, iterate(rt, value))),
  max: define('case_sensitive attribute', (rt, value, cased, attribute) =>
    extreme(rt, value, cased, attribute, 1),
  ),
  min: define('case_sensitive attribute', (rt, value, cased, attribute) =>
    extreme(rt, value, cased, attribute, -1),
  ),
  random: define('', random),
  reverse: define('', reverse),
  slice: define('slices! fill_with', slices),
  sort: define('reverse case_sensitive attribute', (rt, value, backwards, cased, attribute) =>
    sorted(rt, iterate(rt, value), sortKey(rt, attribute, truthy(cased)), truthy(backwards)),
  ),
  sum: define('attribute start', sum),
  unique: define('case_sensitive attribute', unique),
};
