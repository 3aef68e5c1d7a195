/**
 * Owns: random values with every kind of number. A value must survive every conversion unchanged, including its type.
 */
import { Float, type Json, makeFloat, makeInt } from '@woof/net';
import fc from 'fast-check';

const int: fc.Arbitrary<Json> = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(makeInt),
  fc
    .constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 64n, 10n ** 40n)
    .map(makeInt),
);

const float: fc.Arbitrary<Json> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(makeFloat),
  fc.integer().map(makeFloat),
  fc.constantFrom(1, -0, 0, 2 ** 53, 1e16, 1e21, 1e300, 0.5, 1e-7, 0.1 + 0.2, 5e-324).map(makeFloat),
);

const exactNumber: fc.Arbitrary<Json> = fc.oneof(int, float);

/** Texts that look like numbers stay texts. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('1.0', ': 1.0', '12345678901234567890', '1e5', '"', '\\', ''),
);

export const exactValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    exactNumber,
    fc.oneof(text, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** JSON as Python writes it if numbers are not finite, and the data that every reader makes of it. */
export const NOT_FINITE: [text: string, data: Json][] = [
  ['NaN', null],
  [' [1, -Infinity, "NaN", "a\\"Infinity"] ', [1, null, 'NaN', 'a"Infinity']],
  ['{"a": Infinity, "NaN": [1.0, {"b": NaN}]}', { a: null, NaN: [new Float(1), { b: null }] }],
  ['[1e400, -1e400, 1e308]', [null, null, new Float(1e308)]],
];

/** Many of them as one value. */
export const exactValues = (count: number): Json[] => fc.sample(exactValue, count);
