/** What `COPY … FROM STDIN` reads and `COPY … TO STDOUT` gives. */
import type { Readable } from 'node:stream';
import { isArrow, streamRows } from '@woof/arrow';
import { isReference, type Json, type Reference } from '@woof/net';
import { FieldFault } from '../fields.ts';
import { INLINE_MAX_BYTES, ResultTooLarge } from '../row-sink.ts';
import type { Blobs } from '../tool.ts';
import { parameterText } from './postgres-values.ts';

const BLOCK_ROWS = 1000;

export async function* copySource(data: Json | undefined, blobs: Blobs): AsyncGenerator<Uint8Array> {
  if (data === undefined || data === null) {
    throw new FieldFault(
      '"data" is missing: COPY … FROM STDIN reads it; give text, a list of rows, or a reference',
    );
  }
  if (isArrow(data)) return yield* copyLines(streamRows(blobs.get(data as Reference)));
  if (isReference(data)) return yield* blobs.get(data);
  if (typeof data === 'string') return yield Buffer.from(data);
  if (!Array.isArray(data))
    throw new FieldFault('"data" must be text, a list of rows, or a reference, got a map');
  for (let at = 0; at < data.length; at += BLOCK_ROWS) {
    yield Buffer.from(
      data
        .slice(at, at + BLOCK_ROWS)
        .map(copyLine)
        .join(''),
    );
  }
}

async function* copyLines(batches: AsyncIterable<Json[]>): AsyncGenerator<Uint8Array> {
  for await (const rows of batches) yield Buffer.from(rows.map(copyLine).join(''));
}

/** One row in the text format: a list, or a map whose values stand in the order of the columns. */
export function copyLine(row: Json): string {
  if (typeof row !== 'object' || row === null) {
    throw new FieldFault('"data" must hold rows that are lists or maps, got something else');
  }
  return `${Object.values(row).map(copyValue).join('\t')}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

export function copyValue(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  return parameterText(value).replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]!);
}

/** Text while it is moderate and is text, else a reference. */
export async function copyTarget(source: Readable, blobs: Blobs, maxBytes: number): Promise<Json> {
  const chunks = bounded(source, maxBytes);
  const head: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) return Buffer.concat(head).toString('utf8');
    head.push(value);
    size += value.length;
    if (size > INLINE_MAX_BYTES) break;
  }
  const all = (async function* () {
    yield* head;
    yield* chunks;
  })();
  return blobs.put(all, { hint: { content_type: 'text/plain' }, maxBytes });
}

async function* bounded(source: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += (chunk as Uint8Array).length;
    if (size > maxBytes)
      throw new ResultTooLarge(`the result has more than ${maxBytes} bytes; raise "max_bytes"`);
    yield chunk as Uint8Array;
  }
}
