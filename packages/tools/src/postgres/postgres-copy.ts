/** The input of `COPY … FROM STDIN` and the output of `COPY … TO STDOUT`. */
import type { Readable } from 'node:stream';
import { isArrow, streamRows } from '@woof/arrow';
import { type Json, type JsonObject, type Reference, referenceIn } from '@woof/net';
import { FieldFault } from '../fields.ts';
import { jsonItems, NoJsonList } from '../json-items.ts';
import { once } from '../once.ts';
import { INLINE_MAX_BYTES, ResultTooLarge } from '../row-sink.ts';
import type { Blobs } from '../tool.ts';
import { type CopyColumns, copyLines } from './postgres-copy-rows.ts';

const BLOCK_ROWS = 1000;
const MOST_TEXT_BYTES = 256 * 1024 * 1024;

/** The columns are queried if there are rows. */
export async function copySource(
  data: Json | undefined,
  blobs: Blobs,
  columns: () => Promise<CopyColumns>,
): Promise<AsyncIterable<Uint8Array>> {
  if (data === undefined || data === null) {
    throw new FieldFault(
      '"data" is missing: COPY … FROM STDIN reads it; write text, a list of rows, or a reference',
    );
  }
  if (typeof data === 'string') return once(Buffer.from(data));
  if (Array.isArray(data)) return copyLines(blocksOf(data), await columns());
  const reference = referenceIn(data);
  if (reference === undefined)
    throw new FieldFault('"data" must be text, a list of rows, or a reference, got a map');
  if (isArrow(reference)) return copyLines(streamRows(blobs.get(reference)), await columns());
  const { type, content_type } = (reference.schema_hint ?? {}) as JsonObject;
  if (isJson(content_type) || (content_type === undefined && type === 'list'))
    return copyLines(storedRows(reference, blobs), await columns());
  const isText = content_type === undefined && type === 'string';
  return isText ? storedText(reference, blobs) : blobs.get(reference);
}

async function* blocksOf(rows: Json[]): AsyncGenerator<Json[]> {
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) yield rows.slice(at, at + BLOCK_ROWS);
}

function isJson(type: Json | undefined): boolean {
  return typeof type === 'string' && /^[^;]*[/+]json\s*(;|$)/i.test(type);
}

async function* storedRows(reference: Reference, blobs: Blobs): AsyncGenerator<Json[]> {
  try {
    yield* jsonItems(blobs.get(reference));
  } catch (error) {
    if (!(error instanceof NoJsonList)) throw error;
    throw new FieldFault(`"data" must be a reference to text or to a list of rows: ${error.message}`);
  }
}

/** A text that was too large for the log is stored as JSON. */
async function* storedText(reference: Reference, blobs: Blobs): AsyncGenerator<Uint8Array> {
  if (reference.size > MOST_TEXT_BYTES)
    throw new FieldFault(`"data" is ${reference.size} bytes, and the limit for text is ${MOST_TEXT_BYTES}`);
  const parts: Uint8Array[] = [];
  for await (const part of blobs.get(reference)) parts.push(part);
  yield Buffer.from(JSON.parse(Buffer.concat(parts).toString('utf8')) as string);
}

/** Text if the output is valid text of moderate size, otherwise a reference. */
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
      throw new ResultTooLarge(`the result is larger than ${maxBytes} bytes; raise "max_bytes"`);
    yield chunk as Uint8Array;
  }
}
