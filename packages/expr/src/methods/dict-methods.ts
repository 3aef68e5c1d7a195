/** Owns: the methods of dict. Only dicts that the template created can be changed. */
import { type Builtin, define, type Run, type Table } from '../builtin.ts';
import { iterate } from '../iterate.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import {
  Dict,
  dictEntries,
  dictGet,
  isDict,
  isHashable,
  type PlainObject,
  tupleOf,
  typeName,
  viewOf,
} from '../values.ts';

type AnyDict = PlainObject | Dict;
const reading = (
  signature: string,
  run: (rt: Runtime, dict: AnyDict, ...args: unknown[]) => unknown,
): Builtin => define(signature, run as Run);

const changing = (
  signature: string,
  run: (rt: Runtime, dict: Dict, ...args: unknown[]) => unknown,
): Builtin =>
  define(signature, (rt, dict, ...args) => {
    if (!(dict instanceof Dict)) {
      throw typeFault(
        'the template received this dict and cannot change it',
        'copy it first, with "dict(…)"',
      );
    }
    return run(rt, dict, ...args) ?? null;
  });

const view = (label: string, pick: (entry: [unknown, unknown]) => unknown): Builtin =>
  reading('', (rt, dict) => {
    const entries = dictEntries(dict);
    rt.spend(entries.length);
    rt.produce(entries.length);
    return viewOf(label, entries.map(pick));
  });

/** Entries of a dict, or of a list of pairs. */
export function entriesOf(rt: Runtime, value: unknown): (readonly unknown[])[] {
  if (isDict(value)) return dictEntries(value);
  return Array.from(iterate(rt, value), (pair) => {
    const items = iterate(rt, pair);
    if (items.length !== 2) throw valueFault(`a dict is made of pairs, got ${items.length} items`);
    return items;
  });
}

export function put(rt: Runtime, dict: Dict, entries: Iterable<readonly unknown[]>): void {
  for (const [key, value] of entries) {
    if (!isHashable(key)) throw typeFault(`a ${typeName(key)} cannot be the key of a dict`);
    rt.produce(1);
    rt.spend();
    dict.set(key, value);
  }
}

function pop(_rt: Runtime, dict: Dict, key: unknown, fallback?: unknown): unknown {
  const value = dict.get(key);
  if (value === undefined && fallback === undefined) throw valueFault('the dict has no such key');
  dict.delete(key);
  return value === undefined ? fallback : value;
}

function popItem(_rt: Runtime, dict: Dict): unknown {
  const last = dictEntries(dict).at(-1);
  if (!last) throw valueFault('the dict is empty');
  dict.delete(last[0]);
  return tupleOf(last);
}

function setDefault(rt: Runtime, dict: Dict, key: unknown, value: unknown = null): unknown {
  if (!dict.has(key)) put(rt, dict, [[key, value]]);
  return dict.get(key);
}

export const dictMethods: Table = {
  clear: changing('', (_rt, dict) => dict.clear()),
  copy: reading('', (rt, dict) => {
    const copy = new Dict();
    put(rt, copy, dictEntries(dict));
    return copy;
  }),
  get: reading(
    'key! default',
    (_rt, dict, key, fallback = null) =>
      dictGet(dict, key) ?? (dictGet(dict, key) === null ? null : fallback),
  ),
  items: view('dict_items', tupleOf),
  keys: view('dict_keys', ([key]) => key),
  pop: changing('key! default', pop),
  popitem: changing('', popItem),
  setdefault: changing('key! default', setDefault),
  update: changing('*', (rt, dict, positional, keyword) => {
    for (const other of positional as unknown[]) put(rt, dict, entriesOf(rt, other));
    put(rt, dict, keyword as [string, unknown][]);
  }),
  values: view('dict_values', ([, value]) => value),
};
