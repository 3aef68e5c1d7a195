/** Owns: map, and the filters that select items by a test. The items may include missing values. */
import { define, type Table } from '../builtin.ts';
import { invoke } from '../callable.ts';
import { truthy } from '../compare.ts';
import { iterate } from '../iterate.ts';
import { need, type Runtime } from '../runtime.ts';
import { typeFault } from '../template-error.ts';
import { type List, listOf, typeName } from '../values.ts';
import { attributeGetter, type Getter } from './attribute.ts';

type Rest = readonly unknown[];
type Keywords = readonly (readonly [string, unknown])[];

function map(rt: Runtime, value: unknown, rest: unknown, keywords: unknown): List {
  const apply = mapper(rt, rest as Rest, keywords as Keywords);
  return collect(rt, iterate(rt, value), (items) => items.map(apply));
}

function mapper(rt: Runtime, rest: Rest, keywords: Keywords): Getter {
  const named = new Map(keywords);
  if (rest.length === 0 && named.has('attribute')) {
    const unknown = keywords.find(([name]) => name !== 'attribute' && name !== 'default');
    if (unknown) throw typeFault(`map has no argument "${unknown[0]}"`);
    return attributeGetter(rt, named.get('attribute'), named.get('default'));
  }
  const name = rest[0];
  if (typeof name !== 'string') throw typeFault('map needs the name of a filter or attribute=');
  const filter = rt.registry.filterNamed(name);
  const args = { positional: rest.slice(1), keyword: keywords };
  const check = filter.lenient ? (item: unknown) => item : need;
  return (item) => invoke(rt, `the filter "${name}"`, filter, [check(item)], args);
}

/** `select`, `reject` and their attr forms: `wanted` is the result that an item's test must have. */
function choose(wanted: boolean, byAttribute: boolean) {
  return (rt: Runtime, value: unknown, rest: unknown, keywords: unknown): List => {
    const args = Array.from(rest as Rest);
    if (byAttribute && args.length === 0) throw typeFault('this filter needs the name of an attribute');
    const get: Getter = byAttribute ? attributeGetter(rt, args.shift()) : (item) => item;
    const passes = predicate(rt, args, keywords as Keywords);
    return collect(rt, iterate(rt, value), (items) => items.filter((item) => passes(get(item)) === wanted));
  };
}

function predicate(rt: Runtime, args: Rest, keyword: Keywords): (item: unknown) => boolean {
  if (args.length === 0) return truthy;
  const name = args[0];
  if (typeof name !== 'string') throw typeFault(`the name of a test must be a string, got ${typeName(name)}`);
  const test = rt.registry.testNamed(name);
  const rest = { positional: args.slice(1), keyword };
  return (item) => truthy(invoke(rt, `the test "${name}"`, test, [item], rest));
}

function collect(rt: Runtime, items: readonly unknown[], work: (items: unknown[]) => unknown[]): List {
  rt.produce(items.length);
  return listOf(work(Array.from(items)));
}

export const selectFilters: Table = {
  map: define('*', map),
  reject: define('*', choose(false, false)),
  rejectattr: define('*', choose(false, true)),
  select: define('*', choose(true, false)),
  selectattr: define('*', choose(true, true)),
};
