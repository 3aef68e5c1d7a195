/** A list in ctx to which steps append, as decisions write it and as the fold reads it. */
import {
  foldableShared,
  isReference,
  type Json,
  type JsonObject,
  patchShared,
  type Reference,
} from '@woof/net';
import { describe, expect, it } from 'vitest';
import { loaded } from './loaded.ts';
import { Values } from './values.ts';

/** What these tests need from a store, in memory. */
class CountedBlobs {
  written = 0;
  private readonly texts = new Map<string, string>();

  async putBytes(bytes: Buffer, { key }: Reference): Promise<void> {
    this.written += bytes.length;
    this.texts.set(key, bytes.toString());
  }

  getText({ key }: Reference): string {
    return this.texts.get(key)!;
  }
}

async function append(first: Json[], items: Json[]) {
  const blobs = new CountedBlobs();
  const values = new Values(blobs as never);
  let ctx: JsonObject = { list: values.offload(first) };
  let logged = 0;
  for (const item of items) {
    const shared = { list: { append: item } };
    const change = foldableShared(shared, ctx, values);
    logged += JSON.stringify(change).length;
    ctx = patchShared(ctx, change);
    if (values.hasPending) await values.save();
  }
  return { list: ctx.list!, values, blobs, logged };
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(40) }));

describe('a list in ctx', () => {
  it.each([
    ['a short list', []],
    ['a stored list', rows(2000)],
  ])('keeps every item that is appended to %s, in order', async (_what, first) => {
    const { list, values, blobs } = await append(first, rows(3000));
    const expected = [...first, ...rows(3000)];
    expect(isReference(list)).toBe(true);
    expect(values.resolve(list as never)).toEqual(expected);
    expect(await loaded(list, async (reference) => blobs.getText(reference))).toEqual(expected);
  });

  it('is written about once, however many items are appended one by one', async () => {
    const { blobs, logged } = await append(rows(2000), rows(6000));
    const size = JSON.stringify(rows(8000)).length;
    expect(blobs.written).toBeLessThan(1.2 * size);
    expect(logged).toBeLessThan(2 * size);
  });

  it('is one list again after many pages', async () => {
    const large = Array.from({ length: 120 }, () => 'x'.repeat(60_000));
    const { list, values } = await append(rows(2000), large);
    expect(values.resolve(list as never)).toEqual([...rows(2000), ...large]);
    expect(JSON.stringify(list).length).toBeLessThan(100_000);
  });
});
