import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJson, encodeJson, type Json, type Reference } from '@woof/net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileBlobs, once } from './file-blobs.ts';
import { decodeWindow, windowsOf } from './list-windows.ts';
import { Values } from './values.ts';

const items = fc.array(fc.jsonValue() as fc.Arbitrary<Json>);

function windowed(text: string, block: number): Json[] | undefined {
  const bytes = Buffer.from(text);
  const read = (from: number, size: number) => bytes.subarray(from, from + size);
  const windows = windowsOf(bytes.length, read, block);
  return windows?.flatMap(({ from, size, first, count }, index) => {
    const list = decodeWindow(read(from, size));
    expect(list).toHaveLength(count);
    if (index > 0) expect(first).toBe(windows[index - 1]!.first + windows[index - 1]!.count);
    return list;
  });
}

describe('the windows of a list', () => {
  it('hold its items, wherever its text is cut', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 1), (list, block, indent) => {
        const text = encodeJson(list, indent);
        expect(windowed(text, block)).toEqual(decodeJson(text));
        expect(windowed(` ${text}\n`, block)).toEqual(decodeJson(text));
      }),
    );
  });

  it.each(['', '[1', '[1,]', '[,1]', '[1] 2', '[1]]', '[1}', '["a]', '[1 2]', '[    ,1]', '[1,    ]'])(
    'are refused for %j',
    (text) => {
      for (const block of [1, 2, 3, 100]) expect(() => windowed(text, block)).toThrow(SyntaxError);
    },
  );

  it.each(['{"a":[1]}', '"[1]"', '5', 'null'])('are none for %s', (text) => {
    expect(windowed(text, 3)).toBeUndefined();
  });
});

describe('a stored list', () => {
  let folder: string;
  let blobs: FileBlobs;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'woof-lists-'));
    blobs = new FileBlobs(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const put = (text: string): Promise<Reference> =>
    blobs.put(once(Buffer.from(text)), { hint: { type: 'list' }, maxBytes: Number.POSITIVE_INFINITY });
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(80) }));
  const pathOf = ({ key }: Reference) => join(folder, key.slice(0, 2), key.slice(2));

  it('returns any item, and its length', async () => {
    const reference = await put(JSON.stringify(rows));
    const values = new Values(blobs);
    expect(values.lengthOf(reference)).toBe(rows.length);
    for (const index of [0, 19_999, 7, 10_000, 20_000])
      expect(values.itemOf(reference, index)).toEqual(rows[index] ?? null);
  });

  it('is noticed when it is damaged, before and while it is read', async () => {
    const reference = await put(JSON.stringify(rows));
    const [before, during] = [new Values(blobs), new Values(blobs)];
    expect(during.lengthOf(reference)).toBe(rows.length);
    const { size } = statSync(pathOf(reference));
    writeFileSync(pathOf(reference), JSON.stringify(rows).replace('"id":19999', '"id":29999'));
    expect(statSync(pathOf(reference)).size).toBe(size);
    expect(() => before.lengthOf(reference)).toThrow(/does not match its checksum/);
    expect(() => during.itemOf(reference, 19_999)).toThrow(/does not match its checksum/);
    expect(during.itemOf(reference, 0)).toEqual(rows[0]);
  });

  it('that is not JSON is refused', async () => {
    const values = new Values(blobs);
    const broken = await put('[1,2');
    expect(() => values.lengthOf(broken)).toThrow(/is not JSON/);
    expect(values.lengthOf(await put('{"a":1}'))).toBeUndefined();
  });
});
