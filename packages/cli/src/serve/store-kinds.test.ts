import { expect, test } from 'vitest';
import { STORE_KINDS, storeTraits } from './store-kinds.ts';

test('an address belongs to one kind', () => {
  for (const kind of STORE_KINDS) {
    const { example } = storeTraits(kind);
    expect(STORE_KINDS.filter((each) => storeTraits(each).scheme.test(example))).toEqual([kind]);
  }
});

test('servers on different kinds of stores leave different files in a folder', () => {
  const files = STORE_KINDS.flatMap((kind) => [storeTraits(kind).lock, storeTraits(kind).note]);
  expect(new Set(files).size).toBe(files.length);
});
