import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from './codec.ts';

const again = (value: unknown) => decode(encode(value));

describe('values as text', () => {
  it.each([
    ['Date', new Date(0)],
    ['an invalid Date', new Date(Number.NaN)],
    ['Map', new Map<unknown, unknown>([[new Date(1), new Map([['a', 1n]])]])],
    ['Set', new Set([1, 'a', null])],
    ['BigInt', 2n ** 200n],
    ['undefined', { a: undefined, b: [undefined] }],
    ['numbers that JSON lacks', [Number.NaN, Infinity, -Infinity, -0]],
    ['an object with $', { $: 'Date', v: 0 }],
    ['an ArrayBuffer', new Uint8Array([0, 255]).buffer],
    ['a DataView', new DataView(new Uint8Array([1, 2]).buffer)],
    ['empty things', [{}, [], new Map(), new Set(), new Uint8Array(), '']],
    ['lone surrogates', 'a\uD800'],
    ['markup', '</script><!--<script>'],
  ])('keep %s', (_, value) => expect(again(value)).toEqual(value));

  it.each([Int8Array, Uint8ClampedArray, Uint16Array, Int32Array, Float32Array, Float64Array])(
    'keep %o, even a part of a buffer',
    (View) => {
      const part = new View(new Uint8Array(64).map((_, i) => i).buffer, 8, 2);
      expect(again(part)).toStrictEqual(part.slice());
    },
  );

  it('keep any value of fast-check', () => {
    const key = fc.string().filter((text) => text !== '__proto__');
    const anything = fc.anything({ key, withBigInt: true, withDate: true, withMap: true, withSet: true });
    fc.assert(
      fc.property(anything, (value) => {
        expect(again(value)).toStrictEqual(value);
      }),
    );
  });

  it('contain nothing that ends a script element', () => {
    expect(encode({ '</script>': '<!--' })).not.toContain('<');
  });

  it.each(['\\', 'a"', '\n', '<', '\uD800'])('contain no escape in a key: %j', (key) => {
    const value = { before: 0, [key]: [{ [key]: 1 }] };
    expect(encode(value)).not.toMatch(/\\.[^"\\]*"\s*:/);
    expect(again(value)).toStrictEqual(value);
  });

  it.each([
    ['a function', { list: [1, () => 1] }, 'value.list[1] is a function'],
    ['a symbol', Symbol('a'), 'value is a symbol'],
    ['an object of a class', new Map([['a', new URL('http://a')]]), 'value.a is a URL'],
    ['the key __proto__', JSON.parse('{"__proto__": 1}'), '"__proto__"'],
  ])('refuse %s, and say where', (_, value, message) => expect(() => encode(value)).toThrow(message));

  it('refuse cycles and what is too deep, but not the same object twice', () => {
    const shared = { a: 1 };
    expect(again([shared, shared])).toEqual([shared, shared]);
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(() => encode(cycle)).toThrow('value[0].cycle is an object that is inside itself');
    const nest = (levels: number) => Array.from({ length: levels }).reduce((inner) => [inner], 0);
    expect(again(nest(200))).toEqual(nest(200));
    expect(() => encode(nest(201))).toThrow('deeper than 200 levels');
  });

  it('refuse what is too large, before it is made', () => {
    const endless: unknown[] = [];
    endless[4e9] = 1;
    for (const value of [endless, 'x'.repeat(34e6), new Uint8Array(34e6), Array(12e6).fill(0)])
      expect(() => encode({ value })).toThrow('takes more than the limit of 32 MB');
    expect(encode({ value: 'x'.repeat(30e6) }).length).toBeGreaterThan(30e6);
  });

  it('show every text, number and bytes to the guard', () => {
    const found: unknown[] = [];
    const value = { key: ['text', 5, 6n, new Map([['inner', 'deep']])], bytes: new Uint8Array([1]) };
    encode(value, 'state', (text, path) => found.push([text, path]));
    expect(found).toEqual([
      ['key', 'state'],
      ['text', 'state.key[0]'],
      ['5', 'state.key[1]'],
      ['6', 'state.key[2]'],
      ['inner', 'state.key[3] (key 1)'],
      ['deep', 'state.key[3].inner'],
      ['bytes', 'state'],
      [new Uint8Array([1]), 'state.bytes'],
    ]);
  });
});

describe('text of others', () => {
  it.each([
    ['not JSON', '{'],
    ['an unknown kind', '{"$":"Window"}'],
    ['a kind from a prototype', '{"$":"__proto__"}'],
    ['bytes that are none', '{"$":"Uint8Array","v":"!"}'],
    ['half a number', '{"$":"Float64Array","v":"AAAA"}'],
    ['a BigInt that is none', '{"$":"bigint","v":"x"}'],
    ['a Map of no pairs', '{"$":"Map","v":7}'],
    ['a bomb of brackets', '['.repeat(1e5) + ']'.repeat(1e5)],
  ])('that is %s is refused', (_, text) => expect(() => decode(text)).toThrow('not a value'));

  it('reaches no prototype', () => {
    const hostile = '{"__proto__":{"bad":1},"constructor":{"prototype":{"bad":1}}}';
    const tagged = '{"$":"Object","v":[["__proto__",{"bad":1}],["a",1]]}';
    const parsed: object[] = [decode(hostile) as object, decode(tagged) as object];
    expect(parsed.map((value) => [Object.hasOwn(value, '__proto__'), 'bad' in value])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect('bad' in {}).toBe(false);
    // What a careless parser makes of the same text.
    expect(Object.assign({}, JSON.parse(hostile))).toHaveProperty('bad');
  });
});
