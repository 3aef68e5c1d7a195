import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvChunks } from './csv-chunks.ts';
import { csvLine, csvRows } from './csv-text.ts';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const field = fc.option(
  fc.array(fc.constantFrom('a', '"', ',', '\n', '\r', 'é', ''), { maxLength: 5 }).map((x) => x.join('')),
);
const table = fc.array(fc.tuple(field, field), { maxLength: 30 });

it('cuts only at ends of rows, however the stream is split, and skips whole rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 7 }),
      fc.nat(10),
      async (rows, size, maxRows, skipRows) => {
        const bytes = Buffer.from(rows.map(csvLine).join(''));
        const seen: unknown[] = [];
        for await (const chunk of csvChunks(pieces(bytes, size), { maxRows, skipRows })) {
          const read = csvRows(chunk.bytes.toString('utf8'), ['text', 'text']);
          expect(read).toHaveLength(chunk.rows);
          expect(chunk.rows).toBeLessThanOrEqual(maxRows);
          seen.push(...read);
        }
        expect(seen).toEqual(rows.slice(skipRows));
      },
    ),
  );
});

it('limits the bytes of a chunk too', async () => {
  const bytes = Buffer.from('1234567\n'.repeat(100));
  const sizes: number[] = [];
  for await (const chunk of csvChunks(pieces(bytes, 50), { maxRows: 1000, maxBytes: 80 }))
    sizes.push(chunk.rows);
  expect(sizes).toEqual(Array.from({ length: 10 }, () => 10));
});
