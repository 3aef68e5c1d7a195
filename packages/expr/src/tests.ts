/** Owns: the tests that may follow `is`. A missing value passes only `undefined` and `ne`, and is never an error. */
import type { CompareOperator } from './ast.ts';
import { asStored, type Builtin, define, find, lenient, type Run, type Table } from './builtin.ts';
import { Callable } from './callable.ts';
import { compareWith, truthy } from './compare.ts';
import { isIterable, Sequence } from './iterate.ts';
import { isLower, isUpper } from './methods/character-classes.ts';
import { didYouMean } from './nearest.ts';
import { arithmetic, isNumber } from './numbers.ts';
import { need, type Runtime } from './runtime.ts';
import { Fault, typeFault } from './template-error.ts';
import { toText } from './text.ts';
import { isDict, isFloat, isInt, typeName, Undefined, View } from './values.ts';

/** A test of a value's type, without arguments. */
const kind = (holds: (value: unknown) => boolean): Builtin =>
  lenient(define('', (_rt, value) => !(value instanceof Undefined) && holds(value)));

/** A test that takes arguments, or converts its subject to text. */
const check = (signature: string, run: Run): Builtin =>
  lenient(
    define(
      signature,
      (rt, value, ...args) => !(value instanceof Undefined) && run(rt, value, ...args.map(need)),
    ),
  );

const cased = (holds: (text: string) => boolean): Builtin =>
  check('', (rt, value) => {
    const text = toText(rt, value);
    rt.spend(text.length);
    return holds(text);
  });

const comparison = (operator: CompareOperator): Builtin =>
  lenient(define('other!', (rt, value, other) => compareWith(rt, operator, value, other)));

const equals = comparison('==');
const differs = comparison('!=');
const less = comparison('<');
const lessOrEqual = comparison('<=');
const greater = comparison('>');
const greaterOrEqual = comparison('>=');

function divisible(_rt: Runtime, value: unknown, divisor: unknown): boolean {
  if (!isNumber(value) || !isNumber(divisor))
    throw typeFault(`cannot divide ${typeName(value)} by ${typeName(divisor)}`);
  return !truthy(arithmetic('%', value, divisor));
}

const isSequence = (value: unknown): boolean =>
  (isIterable(value) && !(value instanceof View)) || value instanceof Sequence;

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (isFloat(a) && isFloat(b) && Number(a) === Number(b));

const TESTS: Table = {
  '!=': differs,
  '<': less,
  '<=': lessOrEqual,
  '==': equals,
  '>': greater,
  '>=': greaterOrEqual,
  boolean: kind((value) => typeof value === 'boolean'),
  callable: kind((value) => value instanceof Callable),
  defined: asStored(kind(() => true)),
  divisibleby: check('num!', divisible),
  eq: equals,
  equalto: equals,
  escaped: kind(() => false),
  even: check('', (rt, value) => divisible(rt, value, 2)),
  false: kind((value) => value === false),
  filter: lenient(define('', (rt, value) => typeof value === 'string' && rt.registry.hasFilter(value))),
  float: kind(isFloat),
  ge: greaterOrEqual,
  greaterthan: greater,
  gt: greater,
  in: comparison('in'),
  integer: kind(isInt),
  iterable: kind(isIterable),
  le: lessOrEqual,
  lessthan: less,
  lower: cased(isLower),
  lt: less,
  mapping: kind(isDict),
  ne: differs,
  none: kind((value) => value === null),
  number: kind(isNumber),
  odd: check('', (rt, value) => !divisible(rt, value, 2)),
  sameas: check('other!', (_rt, value, other) => isSame(value, other)),
  sequence: kind(isSequence),
  string: kind((value) => typeof value === 'string'),
  test: kind((value) => typeof value === 'string' && find(TESTS, value) !== undefined),
  true: kind((value) => value === true),
  undefined: asStored(lenient(define('', (_rt, value) => value instanceof Undefined))),
  upper: cased(isUpper),
};

/** What other languages call `none`. */
const isNullWord = (name: string) => /^(null|nil)$/i.test(name);

export function testNamed(name: string): Builtin {
  const test = find(TESTS, name);
  if (test) return test;
  const hint = isNullWord(name) ? 'did you mean "none"?' : didYouMean(name, Object.keys(TESTS));
  throw new Fault('expr/unknown-test', `there is no test "${name}"`, hint);
}
