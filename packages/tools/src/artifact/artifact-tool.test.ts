import { batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import type { Json, Outcome } from '@woof/net';
import { expect, it } from 'vitest';
import { exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { once } from '../once.ts';
import { createArtifactTool } from './artifact-tool.ts';

exerciseTool('artifact', {
  make: createArtifactTool,
  good: [{ input: { action: 'put', data: { a: 1 } } }, { input: { data: null } }],
  bad: [
    [{ input: {} }, /"uri" must be a reference, .* or its key/],
    [{ input: { action: 'steal' } }, /"action" must be one of get, put, got "steal"/],
    [{ input: { action: 'put' } }, /"data" is missing/],
    [{ input: { action: 'get', uri: 5 } }, /"uri".*5/],
  ],
});

const tool = createArtifactTool();
const run = (input: Record<string, Json>, blobs: MemoryBlobs) =>
  tool.run(toolCall({ input }), toolContext({ blobs })) as Promise<Outcome>;

it.each([[{ rows: [1, 2] }], ['text'], ['123'], [null], [false]])(
  'reads %j back, by reference and by key',
  async (data) => {
    const blobs = new MemoryBlobs();
    const kept = (await run({ action: 'put', data }, blobs)).result as Record<string, Json>;
    expect(kept).toMatchObject({ size: JSON.stringify(data).length, data: { store: 'memory' } });
    for (const uri of [kept.uri, kept.data] as Json[]) {
      expect((await run({ uri }, blobs)).result).toMatchObject({ data, size: kept.size });
      expect((await run({ result_ref: uri }, blobs)).result).toMatchObject({ data });
    }
  },
);

it('says that a key is unknown', async () => {
  const outcome = await run({ uri: 'feed' }, new MemoryBlobs());
  expect(outcome.error).toMatchObject({
    kind: 'missing_reference',
    message: 'artifact: cannot read feed: no such blob',
  });
});

it('says that a table has too many values to be read at once, and reads a smaller one', async () => {
  const blobs = new MemoryBlobs();
  const nulls = (rows: number) =>
    Buffer.concat([
      schemaMessage([{ name: 'n', kind: 'null' }]),
      batchMessage({ rows, nodes: [[rows, 0]], buffers: [] }),
      END_OF_STREAM,
    ]);
  const get = async (rows: number) =>
    run({ uri: (await blobs.put(once(nulls(rows)), { hint: null })) as never }, blobs);
  expect((await get(2)).result).toMatchObject({ data: [{ n: null }, { n: null }] });
  expect((await get(10_000_000)).error).toMatchObject({
    kind: 'storage',
    message: expect.stringMatching(/more than \d+ values.*read it with a duckdb task/),
  });
});
