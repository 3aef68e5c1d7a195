/**
 * The same for tables of Arrow, whose lengths must stay as they are.
 *
 * What a table says is searched as JSON, as whoever reads it sees it. Where a secret stands as text, as many asterisks stand
 * in its place. Where it is hidden in values that are no text, such as a number or a UUID, nothing is stored.
 */
import { ARROW_STREAM, type ArrowField, ArrowReader, rowsOfBatch } from '@woof/arrow';
import { failure, type Json, type JsonObject } from '@woof/net';
import { StoreRefusal } from '../result-store/result-store.ts';
import type { Redactor } from './redactor.ts';

export function isTable(hint: Json): boolean {
  return (hint as JsonObject | null)?.content_type === ARROW_STREAM;
}

export async function* redactTable(
  source: AsyncIterable<Uint8Array>,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  const reader = new ArrowReader();
  let fields: ArrowField[] = [];
  for await (const bytes of source)
    for (const part of reader.push(bytes)) {
      if ('fields' in part) {
        fields = part.fields;
        if (redactor.finds(JSON.stringify(fields))) throw refusal('the name of a column');
        yield part.bytes;
      } else if ('batch' in part) {
        const head = part.bytes.subarray(0, part.bytes.length - part.batch.body.length);
        yield head;
        yield redactedBody(part.batch.body, (body) => rowsOfBatch(fields, { ...part.batch, body }), redactor);
      } else yield part.bytes;
    }
  reader.finish();
}

function redactedBody(body: Buffer, read: (body: Buffer) => Json, redactor: Redactor): Buffer {
  if (!redactor.finds(JSON.stringify(read(body)))) return body;
  const masked = redactor.mask(body);
  try {
    if (!redactor.finds(JSON.stringify(read(masked)))) return masked;
  } catch {
    // A secret that was no text of its own: without it the rest cannot be read.
  }
  throw refusal('a value that is not text');
}

function refusal(where: string): StoreRefusal {
  const message = `the result holds a secret in ${where}, and cannot be stored without it; leave it out, or select it as text`;
  return new StoreRefusal(failure('policy', message));
}
