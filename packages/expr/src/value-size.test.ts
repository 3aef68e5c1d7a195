import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeJson } from './exact-json.ts';
import { Float } from './float.ts';
import { oversize, valueSize } from './value-size.ts';

const written = (value: unknown) => new TextEncoder().encode(encodeJson(value)).length;

it('is the number of bytes of the JSON text', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\ud800', '"', '\\', '\u0001', '\u007f', 'é', 'x'.repeat(5000), undefined, null),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.bigInt(),
    fc.integer().map((value) => new Float(value)),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (list) => {
      const wide = Array.from({ length: 40 }, () => list);
      for (const each of [list, wide, { wide }]) expect(valueSize(each)).toBe(written(each));
    }),
    { numRuns: 40 },
  );
});

it('counts values that are contained in each other many times without writing them', () => {
  let shared: unknown[] = [1];
  for (let level = 0; level < 40; level++) shared = [shared, shared];
  expect(oversize(shared, 1000)?.message).toContain(`it has ${6 * 2 ** 40 - 3} bytes`);
  const [one, two] = ['x'.repeat(5_000_000), 'y'.repeat(5_000_000)];
  const texts = Array.from({ length: 10_000 }, () => [one, two]).flat();
  expect(valueSize(texts)).toBe(20_000 * 5_000_003 + 1);
});
