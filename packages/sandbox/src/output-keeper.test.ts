import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OutputKeeper } from './output-keeper.ts';

it('keeps the beginning of a flood and counts the rest', () => {
  const keeper = new OutputKeeper(() => undefined, 1000);
  for (let i = 0; i < 10_000; i += 1) keeper.write(Buffer.alloc(100, 'x'));
  expect(keeper.end()).toBe(
    `${'x'.repeat(1000)}\n[999000 more bytes of output were dropped; 1000 are kept]\n`,
  );
});

it('keeps everything that is within the limit', () => {
  const keeper = new OutputKeeper(() => undefined, Number.POSITIVE_INFINITY);
  for (let i = 0; i < 100; i += 1) keeper.write(Buffer.alloc(100, 'x'));
  expect(keeper.end()).toHaveLength(10_000);
});

it('passes on whole characters, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 5 }), (text, size) => {
      const passed: string[] = [];
      const keeper = new OutputKeeper((part) => passed.push(part));
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += size) keeper.write(bytes.subarray(at, at + size));
      expect(keeper.end()).toBe(bytes.toString());
      expect(passed.join('')).toBe(bytes.toString());
    }),
  );
});
