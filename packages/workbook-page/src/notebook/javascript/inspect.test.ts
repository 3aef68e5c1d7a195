import { format, inspect as nodeInspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAll } from './format-all.ts';
import { inspect } from './inspect.ts';

class Point {
  x = 1;
  y = { z: [1, 2] };
}
class Empty {}
class Tagged {
  get [Symbol.toStringTag]() {
    return 'tag';
  }
}
const circle: Record<string, unknown> = { name: 'c' };
circle.self = circle;
const list: unknown[] = [1];
list.push({ list });

/** Node itself provides the expected text. */
function same(value: unknown): void {
  expect(inspect(value)).toBe(nodeInspect(value, { maxArrayLength: 1000 }));
}

const VALUES: [string, unknown][] = [
  ['numbers', [0, -0, 1.5, Number.NaN, -Infinity, 12n]],
  ['words', [undefined, null, true, Symbol('s')]],
  ['quotes', ['a', "it's", `"it's"`, '`"\'', 'tab\t', 'nul\0', '\u001b', '\ud800', 'back\\slash']],
  ['an empty list', []],
  ['an empty object', {}],
  ['holes', Object.assign(new Array(6), { 1: 'a', 4: 'b' })],
  ['a list with a name', Object.assign([1, 2], { note: 'x' })],
  ['keys that need quotes', { 'a-b': 1, 2: 3, "it's": 5 }],
  ['no prototype', Object.assign(Object.create(null), { a: 1 })],
  ['an instance', new Point()],
  ['an empty instance', new Empty()],
  ['a tagged instance', new Tagged()],
  ['too deep', { a: { b: { c: { d: {} } } }, list: [[[[1]]]], e: { b: { c: {} } } }],
  ['deep, by name', { a: { b: { c: new Point() } } }],
  ['a circle', circle],
  ['a circle in a list', list],
  [
    'a map',
    new Map<unknown, unknown>([
      ['a', 1],
      [{ k: 1 }, [1, 2]],
    ]),
  ],
  ['an empty map', new Map()],
  ['a set', new Set([1, 'a', { b: 2 }])],
  ['a date', new Date(0)],
  ['no date', new Date(Number.NaN)],
  ['a pattern', /a+/g],
  ['boxes', [new Number(3), new String('abc'), new Boolean(false)]],
  [
    'functions',
    [() => 1, function named() {}, class A {}, class B extends Point {}, async () => 1, function* g() {}],
  ],
  ['a function with properties', Object.assign(function f() {}, { a: 1 })],
  [
    'getters',
    {
      get a() {
        return 1;
      },
      set b(_: number) {},
      get c() {
        return 1;
      },
      set c(_: number) {},
    },
  ],
  ['typed arrays', [new Uint8Array([1, 2, 3]), new Float64Array([1.5])]],
  ['many numbers', Array.from({ length: 100 }, (_, at) => at * at)],
  ['few words', ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta']],
  ['more items than are shown', Array.from({ length: 1005 }, (_, at) => at)],
  [
    'records',
    Array.from({ length: 9 }, (_, at) => ({ city: `city ${at}`, rain: at * 3, days: [at, at + 1] })),
  ],
  ['long text', 'word '.repeat(40)],
  ['long lines', `${'first '.repeat(20)}\n${'second '.repeat(20)}`],
  ['a long text in an object', { text: `${'first '.repeat(20)}\n${'second '.repeat(20)}`, b: 1 }],
  ['wide characters', Array.from({ length: 10 }, () => '漢字')],
];

describe('a value as text', () => {
  it.each(VALUES)('is as in Node: %s', (_, value) => same(value));

  it('has symbols as keys in brackets, as in Node 20 and 22; Node 24 leaves them out', () => {
    expect(inspect({ a: 1, [Symbol('k')]: 4 })).toBe('{ a: 1, [Symbol(k)]: 4 }');
  });

  it('is as in Node, whatever plain data it is', () => {
    const plain = fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      withDate: true,
      maxDepth: 5,
    });
    fc.assert(fc.property(plain, same), { numRuns: 2000, seed: 6 });
  });

  it('is as in Node for lists of numbers and of words', () => {
    fc.assert(fc.property(fc.array(fc.integer(), { maxLength: 80 }), same), { seed: 6 });
    fc.assert(fc.property(fc.array(fc.string({ maxLength: 20 }), { maxLength: 60 }), same), { seed: 6 });
    fc.assert(
      fc.property(fc.array(fc.record({ name: fc.string(), at: fc.double() }), { maxLength: 20 }), same),
      { seed: 6 },
    );
  });
});

describe('a line of the console', () => {
  it.each([
    ['a', 1, { b: 2 }, 'c'],
    ['%s is %d, %i, %f', 'x', 1.5, 2.7, '3.5', 'more'],
    ['%j %o%% %c.', { a: 1 }, 'o', 'css', 7],
    ['100%', 5],
    ['%s %s', 'one'],
    [{ a: 1 }, 'x'],
    ['%s', -0, null, undefined, 3n],
  ])('is as in Node, case %#', (...values: unknown[]) => {
    expect(formatAll(values)).toBe(format(...values));
  });
});
