import { ARROW_STREAM, batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import { expect, it } from 'vitest';
import { BlobError } from './blob-store.ts';
import { referenceTo } from './file-blobs.ts';
import { storedText } from './stored-text.ts';

function faultOf(bytes: Buffer, most?: number): string {
  const reference = referenceTo('0'.repeat(64), bytes.length, { content_type: ARROW_STREAM });
  try {
    return storedText(bytes, reference, most);
  } catch (error) {
    return error instanceof BlobError ? `${error.fault}: ${error.message}` : String(error);
  }
}

const nulls = (rows: number, batches = 1) =>
  Buffer.concat([
    schemaMessage([{ name: 'n', kind: 'null' }]),
    ...Array.from({ length: batches }, () => batchMessage({ rows, nodes: [[rows, 0]], buffers: [] })),
    END_OF_STREAM,
  ]);

it('is the rows of a table as JSON', () => {
  expect(faultOf(nulls(0))).toBe('[]');
  expect(faultOf(nulls(2))).toBe('[{"n":null},{"n":null}]');
});

it('says whether a table is too large or cannot be read', () => {
  expect(faultOf(Buffer.from('no table of any kind'))).toMatch(/^unreadable: .*not an Arrow IPC stream/);
  expect(faultOf(nulls(1_000_000, 3))).toMatch(/^too_large: .*read it with a duckdb task/);
});

it('says that a table is too large if its text would be', () => {
  expect(faultOf(nulls(100), 100)).toMatch(/^too_large: .*read it with a duckdb task/);
  expect(faultOf(nulls(100), 10_000)).toMatch(/^\[/);
});
