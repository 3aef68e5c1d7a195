import { encodeJson } from '@woof/net';
import { expect, it } from 'vitest';
import { sharedValue } from './shared-value.ts';

it.each<[string, unknown, string]>([
  [
    'numbers',
    [1, -0.5, 2 ** 53 - 1, 2 ** 60, 2n ** 60n],
    '[1,-0.5,9007199254740991,1.152921504606847e+18,1152921504606846976]',
  ],
  ['a map', { m: new Map([['a', new Map()]]) }, '{"m":{"a":{}}}'],
  ['a map with other keys', new Map([[1, 'x']]), '[[1,"x"]]'],
  [
    'objects of plain values',
    [new Number(2 ** 60), new String('x'), new Boolean(true)],
    '[1.152921504606847e+18,"x",true]',
  ],
  ['a set', new Set([2, 1]), '[2,1]'],
  ['typed arrays', [new Uint8Array([1]), new Float64Array([0.5])], '[[1],[0.5]]'],
  [
    'what JSON knows',
    { a: [undefined, null], b: undefined, d: new Date(0) },
    '{"a":[null,null],"d":"1970-01-01T00:00:00.000Z"}',
  ],
])('shares %s', (_, value, text) => {
  expect(encodeJson(sharedValue(value))).toBe(text);
});

it('refuses what contains itself, as JSON does', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => sharedValue(value)).toThrow(RangeError);
});
