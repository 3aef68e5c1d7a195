/** Owns: the methods of list and tuple. Only lists that the template created can be changed. */
import { type Builtin, define, type Run, type Table } from '../builtin.ts';
import { optionalIndex } from '../coerce.ts';
import { equal, truthy } from '../compare.ts';
import { sorted } from '../filters/list-filters.ts';
import { iterate } from '../iterate.ts';
import { toIndex } from '../numbers.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { List, listOf } from '../values.ts';

type Items = readonly unknown[];
const reading = (
  signature: string,
  run: (rt: Runtime, items: Items, ...args: unknown[]) => unknown,
): Builtin => define(signature, run as Run);

/** A method that changes the list. Its result is None unless it returns a value. */
const changing = (
  signature: string,
  run: (rt: Runtime, items: List, ...args: unknown[]) => unknown,
): Builtin =>
  define(signature, (rt, items, ...args) => {
    if (!(items instanceof List)) {
      throw typeFault('the template received this list and cannot change it', 'copy it first, with "| list"');
    }
    return run(rt, items, ...args) ?? null;
  });

function indexOf(rt: Runtime, items: Items, value: unknown, start?: unknown, end?: unknown): number {
  const from = optionalIndex(start, 'the start') ?? 0;
  const to = optionalIndex(end, 'the end') ?? items.length;
  rt.spend(items.length);
  const place = (index: number): number => (index < 0 ? Math.max(0, index + items.length) : index);
  const found = items.findIndex(
    (item, index) => index >= place(from) && index < place(to) && equal(rt, item, value),
  );
  if (found < 0) throw valueFault('the value is not in the list');
  return found;
}

function count(rt: Runtime, items: Items, value: unknown): number {
  rt.spend(items.length);
  return items.filter((item) => equal(rt, item, value)).length;
}

function pop(rt: Runtime, items: List, index?: unknown): unknown {
  const at = optionalIndex(index, 'the index') ?? -1;
  const place = at < 0 ? at + items.length : at;
  if (place < 0 || place >= items.length) throw valueFault('there is nothing to pop');
  rt.spend(items.length - place);
  return items.splice(place, 1)[0];
}

function extend(rt: Runtime, items: List, more: unknown): void {
  const added = Array.from(iterate(rt, more));
  rt.produce(added.length);
  for (const item of added) items.push(item);
}

function sort(rt: Runtime, items: List, reverse: unknown): void {
  const result = sorted(rt, items, (item) => item, truthy(reverse));
  result.forEach((item, index) => {
    items[index] = item;
  });
}

export const tupleMethods: Table = {
  count: reading('value!', count),
  index: reading('value! start end', indexOf),
};

export const listMethods: Table = {
  ...tupleMethods,
  append: changing('object!', (rt, items, item) => {
    rt.produce(1);
    items.push(item);
  }),
  clear: changing('', (_rt, items) => {
    items.length = 0;
  }),
  copy: reading('', (rt, items) => {
    rt.produce(items.length);
    return listOf(items);
  }),
  extend: changing('iterable!', extend),
  insert: changing('index! object!', (rt, items, index, item) => {
    rt.produce(1);
    rt.spend(1 + items.length / 16);
    items.splice(toIndex(index, 'the index'), 0, item);
  }),
  pop: changing('index', pop),
  remove: changing('value!', (rt, items, value) => {
    items.splice(indexOf(rt, items, value), 1);
  }),
  reverse: changing('', (rt, items) => {
    rt.spend(items.length);
    items.reverse();
  }),
  sort: changing('reverse', sort),
};
