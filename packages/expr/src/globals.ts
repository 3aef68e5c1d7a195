/** Owns: the functions a template can call by name. */

import { type Builtin, define } from './builtin.ts';
import { BuiltinFunction, type Callable } from './callable.ts';

const FUNCTIONS: Readonly<Record<string, Builtin>> = {
  now: define('', (rt) => rt.host.now()),
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
