import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromPlain, fromPlainJson, toPlain, toPlainJson } from './plain-text.ts';

const unit = fc.oneof(
  fc.constantFrom('\0', '\x1a', '\ud800', '\udfff', '0000', '\\', 'u', '"', 'd800', '😀', '\u2028'),
  fc.string({ unit: 'binary' }),
);
const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''));

it('gives texts back, and holds nothing that a database refuses', () => {
  fc.assert(
    fc.property(text, (odd) => {
      const plain = toPlain(odd);
      expect(fromPlain(plain)).toBe(odd);
      expect(plain.includes('\0')).toBe(false);
      expect(Buffer.from(plain).toString()).toBe(plain);
    }),
    { numRuns: 2000 },
  );
});

it('gives JSON back, in which a text has its plain form', () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      const json = toPlainJson({ [key]: [value] });
      expect(fromPlainJson(json)).toEqual({ [key]: [value] });
      expect(Object.entries(JSON.parse(json))).toEqual([[toPlain(key), [toPlain(value)]]]);
    }),
    { numRuns: 2000 },
  );
});

it('leaves ordinary text unchanged', () => {
  for (const plain of ['', 'a/b.1', 'ü😀\u2028', 'C:\\u0000', '{"a":"\\n"}'])
    expect(toPlain(plain)).toBe(plain);
  expect(toPlainJson({ path: 'C:\\u0000' })).toBe('{"path":"C:\\\\u0000"}');
});
