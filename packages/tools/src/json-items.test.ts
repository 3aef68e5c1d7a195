import { decodeJson, encodeJson, type Json } from '@woof/net';
import { exactValue, NOT_FINITE } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonItems, NoJsonList } from './json-items.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function itemsOf(text: string, size: number, mostBytes?: number): Promise<Json[]> {
  const all: Json[] = [];
  for await (const items of jsonItems(pieces(text, size), mostBytes)) all.push(...items);
  return all;
}

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '[', ']', '{', '}', 'é', '😀', '\n') });
const item = fc.oneof(text, fc.array(text), fc.dictionary(text, text), exactValue);

it('yields the items of a list, however it is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(0, 2),
      async (list, size, indent) => {
        const json = encodeJson(list, indent);
        expect(await itemsOf(json, size)).toEqual(decodeJson(json));
      },
    ),
  );
});

it('reads numbers that are not finite as null', async () => {
  const text = `[${NOT_FINITE.map(([each]) => each).join(',')}]`;
  expect(await itemsOf(text, 7)).toEqual(NOT_FINITE.map(([, data]) => data));
});

it.each(['', '[1, 2', '[1, ', '{"a": 1, "b": 2}', '{"a": 1}', '"[1]"', '[1], [2]', '[1}, 2]', '1\tone\n'])(
  'refuses %j',
  async (json) => {
    for (const size of [1, 3, 100]) await expect(itemsOf(json, size)).rejects.toThrow(NoJsonList);
  },
);

it('limits the size of an item', async () => {
  await expect(itemsOf(`["${'x'.repeat(100)}"]`, 10, 50)).rejects.toThrow(/larger than 50 bytes/);
});
