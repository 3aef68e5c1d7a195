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
  longest = 0;
  private readonly texts = new Map<string, string>();

  async putBytes(bytes: Buffer, { key }: Reference): Promise<void> {
    this.written += bytes.length;
    this.longest = Math.max(this.longest, bytes.length);
    this.texts.set(key, bytes.toString());
  }

  getText({ key }: Reference): string {
    return this.texts.get(key)!;
  }
}

async function append(first: Json[], items: Json[]) {
  const blobs = new CountedBlobs();
  const values = new Values(blobs as never);
  const { resolve, offload } = values;
  const access = { resolve, offload, host: values.host(() => 0) };
  let ctx: JsonObject = { list: values.offload(first) };
  let logged = 0;
  for (const item of items) {
    const shared = { list: { append: item } };
    const change = foldableShared(shared, ctx, access);
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

  it('has few pages, and no append writes all of it, however long it becomes', async () => {
    const large = Array.from({ length: 900 }, (_, index) => `${index}`.padEnd(60_000, 'x'));
    const { list, values, blobs } = await append(rows(2000), large);
    expect(values.resolve(list as never)).toEqual([...rows(2000), ...large]);
    expect(JSON.stringify(list).length).toBeLessThan(100_000);
    expect(blobs.longest).toBeLessThan(9_000_000);
    expect(blobs.written).toBeLessThan(3.2 * 900 * 60_000);
  });

  it('fails when it becomes larger than any value may be', async () => {
    const large = Array.from({ length: 100 }, () => 'x'.repeat(60_000));
    const { list } = await append(rows(2000), large);
    const small = new Values({} as never, { valueBytes: 6_000_000 });
    const { resolve, offload } = small;
    const access = { resolve, offload, host: small.host(() => 0) };
    const one = { list: { append: 'x'.repeat(60_000) } };
    const two = () =>
      foldableShared(one, patchShared({ list }, foldableShared(one, { list }, access)), access);
    expect(two).toThrow(/^ctx\.list becomes too large: it has 6\d+ bytes, and the limit is 6000000/);
  });

  it('does not keep large items in memory', async () => {
    const short = Array.from({ length: 100 }, (_, id) => ({ id }));
    const { list } = await append([], [...short, ...Array.from({ length: 100 }, () => 'x'.repeat(60_000))]);
    expect(JSON.stringify(list).length).toBeLessThan(100_000);
  });
});
