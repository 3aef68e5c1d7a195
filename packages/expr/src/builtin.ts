/**
 * Owns: how filters, tests, methods and functions are declared, and how arguments are bound to parameters. A signature
 * is a text such as `'old! new! count'`: `!` marks a required parameter, and `*` alone accepts the rest. The last two
 * arguments of `run` are then the positional rest and the keyword rest.
 */

import { didYouMean } from './nearest.ts';
import type { Runtime } from './runtime.ts';
import { typeFault } from './template-error.ts';

export type Run = (rt: Runtime, ...args: unknown[]) => unknown;

export interface Builtin {
  readonly signature: string;
  /** Filters, tests and methods get their subject first. JS undefined means that an argument was not given. */
  readonly run: Run;
  /** True if missing values may be passed in. */
  readonly lenient?: boolean;
  /** True if its subject is passed as stored, so that it may be a reference. */
  readonly asStored?: boolean;
}

export type Table = Readonly<Record<string, Builtin>>;

export const define = (signature: string, run: Run): Builtin => ({ signature, run });
export const asStored = (builtin: Builtin): Builtin => ({ ...builtin, asStored: true });
export const lenient = (builtin: Builtin): Builtin => ({ ...builtin, lenient: true });

export const find = (table: Table, name: string): Builtin | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export interface Bound<T> {
  readonly fixed: (T | undefined)[];
  /** Present if the signature accepts the rest. */
  readonly rest?: { readonly positional: readonly T[]; readonly keyword: readonly (readonly [string, T])[] };
}

/** Pairs arguments (values, or evaluators of values) with the parameters of `what`. */
export function bind<T>(
  what: string,
  signature: string,
  positional: readonly T[],
  keyword: readonly (readonly [string, T])[],
): Bound<T> {
  const words = signature === '' ? [] : signature.split(' ');
  const takesRest = words.at(-1) === '*';
  if (takesRest) words.pop();
  const names = words.map((word) => word.replace('!', ''));
  const fixed: (T | undefined)[] = names.map((_, index) => positional[index]);
  if (positional.length > names.length && !takesRest) {
    throw typeFault(`${what} takes ${count(names.length)}, got ${positional.length}`);
  }
  const others = keyword.filter(([name, value]) => !place(what, names, fixed, name, value, takesRest));
  const lacking = words.findIndex((word, index) => word.endsWith('!') && fixed[index] === undefined);
  if (lacking >= 0) throw typeFault(`${what} needs the argument "${names[lacking]}"`);
  return takesRest
    ? { fixed, rest: { positional: positional.slice(names.length), keyword: others } }
    : { fixed };
}

function place<T>(
  what: string,
  names: string[],
  fixed: (T | undefined)[],
  name: string,
  value: T,
  takesRest: boolean,
): boolean {
  const index = names.indexOf(name);
  if (index < 0) {
    if (takesRest) return false;
    throw typeFault(`${what} has no argument "${name}"`, didYouMean(name, names));
  }
  if (fixed[index] !== undefined) throw typeFault(`${what} got the argument "${name}" twice`);
  fixed[index] = value;
  return true;
}

const count = (arguments_: number): string =>
  arguments_ === 0 ? 'no arguments' : arguments_ === 1 ? 'one argument' : `at most ${arguments_} arguments`;

/** The arguments of `run` after its subject. */
export const spread = (bound: Bound<unknown>): unknown[] =>
  bound.rest ? [...bound.fixed, bound.rest.positional, bound.rest.keyword] : bound.fixed;
