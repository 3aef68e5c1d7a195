/** Owns: the tests that may follow `is`. A missing value passes none but `undefined`, and `ne`. */
import { type Builtin, define, find, lenient, type Table } from './builtin.ts';
import { didYouMean } from './nearest.ts';
import { Fault } from './template-error.ts';
import { Undefined } from './values.ts';

const TESTS: Table = {
  defined: lenient(define('', (_rt, v) => !(v instanceof Undefined))),
  undefined: lenient(define('', (_rt, v) => v instanceof Undefined)),
  none: lenient(define('', (_rt, v) => v === null)),
};

export function testNamed(name: string): Builtin {
  const test = find(TESTS, name);
  if (test) return test;
  throw new Fault('expr/unknown-test', `there is no test "${name}"`, didYouMean(name, Object.keys(TESTS)));
}
