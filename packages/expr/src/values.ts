/**
 * Owns: how Python's values are represented inside an evaluation.
 *
 * | Python        | here                                                                              |
 * |---------------|-----------------------------------------------------------------------------------|
 * | None, bool    | null, boolean                                                                     |
 * | int           | a safe-integer number, or a bigint outside that range                             |
 * | float         | any other number, or `Float` if its value is integral (2.0)                       |
 * | str           | string; lengths and indices count code points                                     |
 * | list, tuple   | Array from the scope (never mutated), `List` created by the template, `Tuple`     |
 * | dict          | plain object from the scope (never mutated), `Dict` created by the template       |
 * | the rest      | an `Opaque`: range, namespace, macro, loop, datetime, …                           |
 *
 * Invariants: only own keys, never a prototype's; a function from the scope is not a value.
 */
import { Float } from './float.ts';
import { fuelFault, type Span } from './template-error.ts';

export { Float, makeFloat } from './float.ts';

export class List extends Array<unknown> {}
export class Tuple extends Array<unknown> {}
/** The result of groupby: a pair that also has `.grouper` and `.list`. */
export class Group extends Tuple {}
/** The result of `dict.keys()`, `.values()` and `.items()`. */
export class View extends Array<unknown> {
  label = 'dict_items';
}

export const listOf = (items: Iterable<unknown>): List => fill(new List(), items);
export const tupleOf = (items: Iterable<unknown>): Tuple => fill(new Tuple(), items);

export function viewOf(label: string, items: Iterable<unknown>): View {
  const view = fill(new View(), items);
  view.label = label;
  return view;
}

function fill<T extends unknown[]>(target: T, items: Iterable<unknown>): T {
  for (const item of items) target.push(item);
  return target;
}

/** A missing value. It knows the expression as written and why it is missing. */
export class Undefined {
  readonly span: Span;
  /** What was not found and where. In a chain, the first thing that was missing. */
  readonly why: string | undefined;
  readonly hint: string | undefined;
  /** True for a ternary without else: it prints nothing instead of being an error. */
  readonly silent: boolean;
  constructor(span: Span, why?: string, hint?: string, silent = false) {
    this.span = span;
    this.why = why;
    this.hint = hint;
    this.silent = silent;
  }
}

/** Objects with behaviour. Templates reach only what `attribute` returns. */
export abstract class Opaque {
  abstract readonly type: string;
  /** JS undefined if there is no such attribute. */
  attribute(_name: string): unknown {
    return undefined;
  }
  text(): string {
    return `<${this.type}>`;
  }
}

export type PlainObject = Record<string, unknown>;

export function isPlain(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Float) &&
    !(value instanceof Dict) &&
    !(value instanceof Opaque) &&
    !(value instanceof Undefined)
  );
}

export const isDict = (value: unknown): value is PlainObject | Dict =>
  value instanceof Dict || isPlain(value);

/** JavaScript's `undefined`, functions and symbols count as nothing. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';

export const isInt = (value: unknown): value is number | bigint =>
  typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint';

export const isFloat = (value: unknown): value is number | Float =>
  typeof value === 'number' ? !Number.isSafeInteger(value) : value instanceof Float;

/** A dict that a template created. 1, 1.0 and True are one key, as in Python. */
export class Dict {
  readonly #entries = new Map<unknown, [key: unknown, value: unknown]>();

  static from(pairs: Iterable<readonly [unknown, unknown]>): Dict {
    const dict = new Dict();
    for (const [key, value] of pairs) dict.set(key, value);
    return dict;
  }

  get size(): number {
    return this.#entries.size;
  }
  has(key: unknown): boolean {
    return this.#entries.has(hash(key));
  }
  get(key: unknown): unknown {
    return this.#entries.get(hash(key))?.[1];
  }
  set(key: unknown, value: unknown): void {
    const known = this.#entries.get(hash(key));
    if (known) known[1] = value;
    else this.#entries.set(hash(key), [key, value]);
  }
  delete(key: unknown): boolean {
    return this.#entries.delete(hash(key));
  }
  clear(): void {
    this.#entries.clear();
  }
  entries(): Iterable<[unknown, unknown]> {
    return this.#entries.values();
  }
}

/** Equal keys have one hash. A string is its own hash, and a composite key has a tagged text. */
export function hash(key: unknown): unknown {
  if (typeof key === 'string' || key === null) return key;
  if (typeof key === 'boolean') return key ? 1 : 0;
  if (key instanceof Float) return key.value;
  if (typeof key === 'bigint') return Number(key) === Infinity ? key : sameNumber(key);
  return key instanceof Tuple ? tupleText(key, { left: MAX_KEY_PARTS }) : key;
}

/** Tuples may share parts, so their written size can far exceed their real size. */
const MAX_KEY_PARTS = 10_000;

function tupleText(tuple: Tuple, budget: { left: number }): string {
  budget.left -= tuple.length + 1;
  if (budget.left < 0) throw fuelFault('this tuple is too large to be a key');
  const parts = Array.from(tuple, (item) =>
    item instanceof Tuple ? tupleText(item, budget) : `${typeof hash(item)}:${String(hash(item))}`,
  );
  return `\u0000(${parts.join('\u0000')})`;
}

const sameNumber = (key: bigint): unknown => (BigInt(Number(key)) === key ? Number(key) : key);

export const isHashable = (value: unknown): boolean => hasOnlyHashable(value, { left: MAX_KEY_PARTS });

function hasOnlyHashable(value: unknown, budget: { left: number }): boolean {
  if (!(value instanceof Tuple)) return !Array.isArray(value) && !isDict(value);
  budget.left -= value.length + 1;
  if (budget.left < 0) throw fuelFault('this tuple is too large to be a key');
  return value.every((item) => hasOnlyHashable(item, budget));
}

export function dictEntries(dict: PlainObject | Dict): [unknown, unknown][] {
  if (dict instanceof Dict) return Array.from(dict.entries(), ([key, value]) => [key, value]);
  return Object.keys(dict)
    .filter((key) => !isAbsent(dict[key]))
    .map((key) => [key, dict[key]]);
}

export const dictKeys = (dict: PlainObject | Dict): unknown[] => dictEntries(dict).map(([key]) => key);

export function dictHas(dict: PlainObject | Dict, key: unknown): boolean {
  if (dict instanceof Dict) return dict.has(key);
  return typeof key === 'string' && Object.hasOwn(dict, key) && !isAbsent(dict[key]);
}

/** JS undefined if there is no such key. */
export function dictGet(dict: PlainObject | Dict, key: unknown): unknown {
  if (dict instanceof Dict) return dict.get(key);
  if (typeof key !== 'string' || !Object.hasOwn(dict, key)) return undefined;
  const value = dict[key];
  return isAbsent(value) ? undefined : value;
}

export function typeName(value: unknown): string {
  if (value === null) return 'none';
  if (value instanceof Undefined || isAbsent(value)) return 'undefined';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (isInt(value)) return 'integer';
  if (isFloat(value)) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof View) return value.label;
  if (Array.isArray(value)) return 'list';
  if (value instanceof Opaque) return value.type;
  return 'dict';
}
