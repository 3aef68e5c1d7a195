/**
 * Owns: the functions that a template can call by name. Deliberately not here: `lipsum` (random filler text has no
 * place in a workflow).
 */
import { Namespace } from './assign.ts';
import { type Builtin, define } from './builtin.ts';
import { BuiltinFunction, type Callable } from './callable.ts';
import { Cycler, Joiner } from './cycler.ts';
import { DateTime } from './date-time.ts';
import { entriesOf, put } from './methods/dict-methods.ts';
import { toIndex } from './numbers.ts';
import { Range } from './range.ts';
import type { Runtime } from './runtime.ts';
import { typeFault, valueFault } from './template-error.ts';
import { toText } from './text.ts';
import { Dict } from './values.ts';

function bound(value: unknown): number {
  const index = toIndex(value, 'a bound of range()');
  if (Number.isSafeInteger(index)) return index;
  throw valueFault('a bound of range() must be within ±(2**53 - 1)', 'add the offset to each item instead');
}

function range(_rt: Runtime, positional: unknown, keyword: unknown): Range {
  const bounds = (positional as unknown[]).map((value) => bound(value));
  if ((keyword as unknown[]).length > 0) throw typeFault('range() takes no keyword arguments');
  if (bounds.length < 1 || bounds.length > 3)
    throw typeFault(`range() takes one to three numbers, got ${bounds.length}`);
  const [start, stop, step] =
    bounds.length === 1 ? [0, bounds[0]!, 1] : [bounds[0]!, bounds[1]!, bounds[2] ?? 1];
  if (step === 0) throw valueFault('the step of range() cannot be zero');
  return new Range(start, stop, step);
}

function collect(rt: Runtime, positional: unknown, keyword: unknown): Dict {
  const sources = positional as unknown[];
  if (sources.length > 1) throw typeFault(`dict() takes at most one dict, got ${sources.length}`);
  const result = new Dict();
  for (const source of sources) put(rt, result, entriesOf(rt, source));
  put(rt, result, keyword as [string, unknown][]);
  return result;
}

function namespace(rt: Runtime, positional: unknown, keyword: unknown): Namespace {
  const made = new Namespace();
  for (const [key, value] of collect(rt, positional, keyword).entries())
    made.members.set(toText(rt, key), value);
  return made;
}

const FUNCTIONS: Readonly<Record<string, Builtin>> = {
  cycler: define('*', (_rt, items) => new Cycler(items as unknown[])),
  dict: define('*', collect),
  joiner: define('sep', (rt, separator = ', ') => new Joiner(toText(rt, separator))),
  namespace: define('*', namespace),
  now: define('utc', (rt) => new DateTime(rt.host.now())),
  range: define('*', range),
};

const made = new Map<string, Callable>();

export function globalNamed(name: string): Callable | undefined {
  if (!Object.hasOwn(FUNCTIONS, name)) return undefined;
  let known = made.get(name);
  if (!known) {
    known = new BuiltinFunction(name, FUNCTIONS[name]!);
    made.set(name, known);
  }
  return known;
}
