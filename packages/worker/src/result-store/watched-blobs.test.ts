import { failure, type Reference } from '@woof/net';
import { BlobError } from '@woof/stores';
import { expect, it } from 'vitest';
import { WatchedBlobs } from './watched-blobs.ts';

const reference: Reference = { store: 'file', key: 'k', checksum: '', size: 1, schema_hint: null };

/** What a tool sees when it reads a value that is not available. */
async function watchedAfter(fault: 'missing' | 'damaged' | 'too_large') {
  const watched = new WatchedBlobs({
    put: () => Promise.reject(new BlobError(fault, 'no')),
    // biome-ignore lint/correctness/useYield: it fails before it gives anything.
    async *get() {
      throw new BlobError(fault, 'the stored value k is gone');
    },
  });
  await expect(watched.get(reference)[Symbol.asyncIterator]().next()).rejects.toThrow('gone');
  return watched;
}

it('reports the kind of failure of a stored value that made a tool fail', async () => {
  const watched = await watchedAfter('missing');
  expect(watched.judged(failure('unknown', 'duckdb: oops'), 'duckdb')).toMatchObject({
    error: { kind: 'missing_reference', retryable: true, message: 'duckdb: the stored value k is gone' },
  });
  const damaged = await watchedAfter('damaged');
  expect(damaged.judged(failure('connection', 'reset'), 's3')).toMatchObject({
    error: { kind: 'storage', retryable: false, code: 'damaged' },
  });
});

it('leaves success, and failures that the tool knows better, unchanged', async () => {
  const watched = await watchedAfter('too_large');
  for (const outcome of [
    failure('storage', 'over max_bytes'),
    failure('timeout', 'late'),
    failure('cancelled', 'x'),
  ])
    expect(watched.judged(outcome, 'http')).toBe(outcome);
  const well = { status: 'ok', result: 1 } as const;
  expect(watched.judged(well, 'http')).toBe(well);
  expect(new WatchedBlobs({} as never).judged(failure('unknown', 'x'), 'http')).toMatchObject({
    error: { kind: 'unknown' },
  });
});
