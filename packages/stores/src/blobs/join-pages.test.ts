import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonObject } from '@woof/net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { FileBlobs } from './file-blobs.ts';
import { joinPages } from './join-pages.ts';
import { Values } from './values.ts';

const json = fc.jsonValue() as fc.Arbitrary<Json>;

it('produces the same bytes as writing the whole value at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const blobs = new FileBlobs(folder);
  const values = new Values(blobs);
  const pages = fc.array(fc.tuple(fc.array(json, { minLength: 1, maxLength: 4 }), fc.boolean()), {
    maxLength: 4,
  });
  const rest = fc.record({ stats: json, errors: json }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(pages, rest, async (lists, more) => {
      const stored = lists.map(([list, isPut]) => (isPut ? values.putAway(list) : list));
      await values.save();
      const joined = await joinPages(
        blobs,
        { pages: stored, count: lists.flatMap(([list]) => list).length },
        more as JsonObject,
      );
      const whole = values.putAway({ results: lists.flatMap(([list]) => list), ...more } as Json);
      expect(joined.checksum).toBe(whole.checksum);
    }),
    { numRuns: 40 },
  );
});
