import { spawnSync } from 'node:child_process';
import { exactValue, NOT_FINITE } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFinite, decodeJson, decodeStored, encodeJson, encodeStored } from './exact-json.ts';
import { Float } from './float.ts';

/** Each text after Python's json has read and written it. */
function throughPython(texts: readonly string[], options = ''): string[] {
  const script = `import decimal, json, sys\nfor line in sys.stdin: print(json.dumps(json.loads(line${options})))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: texts.map((text) => `${text}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** The int or float nearest to the exact decimal. */
const BY_DECIMAL =
  ', parse_int=lambda t: int(decimal.Decimal(t)), parse_float=lambda t: float(decimal.Decimal(t))';

const check = (text: string, value: unknown) => expect(decodeJson(text)).toStrictEqual(value);

describe('decodeJson', () => {
  it('keeps ints of any size', () => {
    check('12345678901234567890', 12345678901234567890n);
    check('[-9007199254740992, 9007199254740991]', [-9007199254740992n, 9007199254740991]);
    check('0000000000000001'.slice(-1), 1);
    check('-0', 0);
  });

  it('distinguishes floats from ints', () => {
    check('{"a": 1.0, "b": 1, "c": 1.5}', { a: new Float(1), b: 1, c: 1.5 });
    check('[1e2, 1E+2, 1.5e1, 15e-1, -0.0]', [
      new Float(100),
      new Float(100),
      new Float(15),
      1.5,
      new Float(-0),
    ]);
  });

  it('recognises a fraction whose nearest double is an integer', () => {
    check('1.00000000000000000001', new Float(1));
    check('99999999.99999999999', new Float(1e8));
    check('1234567890.99999999999', new Float(1234567891));
    check('12345678901234567.5', new Float(12345678901234568));
    check('0.00000000000000000001', 1e-20);
  });

  it('reads everything else as JSON.parse does', () => {
    check('[1.0, "1.0", "a\\"1.0\\\\", true, false, null, {}, [], {"__proto__": 1}]', [
      new Float(1),
      '1.0',
      'a"1.0\\',
      true,
      false,
      null,
      {},
      [],
      JSON.parse('{"__proto__": 1}'),
    ]);
    check(' {"a" : 1.0 , "a" :\n[ 2 ] } ', { a: [2] });
    expect(() => decodeJson('{"a": 1.0,}')).toThrow(SyntaxError);
    expect(() => decodeJson(`${'['.repeat(200_000)}1.0${']'.repeat(200_000)}`)).toThrow(SyntaxError);
  });

  it.each(['"', '\n', '\u0001', 'a"', '"\\'])('reads the key %j after others with a backslash', (key) => {
    for (const before of ['\\', 'a\\', '\\\\', '\\u', '\\n'])
      for (const other of [
        { before: 0, [before]: 0 },
        { before: 0, [key]: 0 },
      ]) {
        const text = JSON.stringify(other);
        for (const decode of [decodeJson, decodeFinite, decodeStored])
          expect(Object.keys(decode(text) as object)).toEqual(Object.keys(other));
      }
  });

  it.each(NOT_FINITE)('reads %s, and decodeFinite refuses it', (text, data) => {
    check(text, data);
    expect(() => decodeFinite(text)).toThrow(SyntaxError);
    expect(decodeFinite(encodeJson(data))).toStrictEqual(data);
  });

  it.each(['-NaN', 'NaNs', '[NaN', '{NaN: 1}', '[Infinity Infinity]', '+Infinity', '"NaN', 'nan'])(
    'refuses %s',
    (text) => {
      expect(() => decodeJson(text)).toThrow(SyntaxError);
    },
  );

  it('refuses ints over 4300 digits as Python does', () => {
    expect(() => decodeJson('1'.repeat(4301))).toThrow(/4301 digits/);
    expect(decodeJson('1'.repeat(4300))).toBe(BigInt('1'.repeat(4300)));
  });
});

describe('encodeJson', () => {
  it('writes as JSON.stringify does, with exact numbers', () => {
    expect(encodeJson({ a: 2n ** 64n, b: new Float(2), c: undefined, d: [undefined] })).toBe(
      '{"a":18446744073709551616,"b":2.0,"d":[null]}',
    );
    expect(encodeJson({ a: [new Float(1)], b: {}, c: [] }, 2)).toBe(
      '{\n  "a": [\n    1.0\n  ],\n  "b": {},\n  "c": []\n}',
    );
    expect(encodeJson(undefined)).toBe(undefined);
    expect(encodeJson([new Float(1), '\u00011.0', '"\u00012.0'])).toBe('[1.0,"\\u00011.0","\\"\\u00012.0"]');
    expect(() => encodeJson(10n ** 4300n)).toThrow(/4301 digits/);
  });

  it('formats as JSON.stringify does', () => {
    fc.assert(
      fc.property(exactValue, fc.constantFrom(0, 1, 2), (value, indent) => {
        const plain: unknown = JSON.parse(JSON.stringify(decodeJson(encodeJson(value)), plainNumbers));
        const marked = encodeJson([plain, 1n << 60n], indent);
        expect(marked.replace('1152921504606846976', '0')).toBe(JSON.stringify([plain, 0], null, indent));
      }),
    );
  });
});

const plainNumbers = (_key: string, value: unknown) => (typeof value === 'bigint' ? 0 : value);

describe('numbers', () => {
  it('survive a round trip with their types', () => {
    fc.assert(
      fc.property(exactValue, (value) => {
        expect(decodeJson(encodeJson(value))).toStrictEqual(value);
        expect(decodeJson(encodeJson(value, 2))).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it('survive a round trip from our own text', () => {
    fc.assert(
      fc.property(exactValue, (value) => {
        expect(decodeStored(encodeStored(value))).toStrictEqual(value);
      }),
    );
    expect([encodeStored([1.5, 'a']), encodeStored([new Float(1)])]).toEqual(['[1.5,"a"]', ' [1.0]']);
  });

  it('match those of Python in both directions', () => {
    const values = fc.sample(exactValue, 400);
    const texts = values.map((value) => encodeJson(value));
    expect(throughPython(texts).map(decodeJson)).toStrictEqual(values);
  });

  it('are read from any notation as Python reads them', () => {
    const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/);
    const fraction = fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^\.(0|9){0,18}[0-9]{1,6}$/),
      fc.stringMatching(/^\.0{1,30}$/),
    );
    const exponent = fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,2}$/));
    const spelling = fc
      .tuple(fc.constantFrom('', '-'), digits, fraction, exponent)
      .map((parts) => parts.join(''));
    const texts = fc.sample(spelling, 2000);
    const python = throughPython(texts).map(decodeJson);
    expect(throughPython(texts, BY_DECIMAL).map(decodeJson)).toStrictEqual(python);
    for (const [index, text] of texts.entries()) {
      expect([text, decodeJson(text)]).toStrictEqual([text, python[index]]);
      expect([text, decodeJson(`{"a":[ ${text}]}`)]).toStrictEqual([text, { a: [python[index]] }]);
    }
  });
});
