/**
 * Redaction for Arrow tables, whose lengths must not change.
 *
 * A table is searched as JSON, the way a reader sees it, and as bytes, because JSON escapes bytes that are not text. A
 * secret that appears as text or bytes is replaced by as many asterisks. If it is hidden in another value, such as a
 * number or a UUID, or in the description of the table, nothing is stored.
 */
import { ARROW_STREAM, type ArrowField, ArrowReader, rowsOfBatch } from '@woof/arrow';
import { encodeJson, failure, type Json, type JsonObject } from '@woof/net';
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
        if (redactor.finds(encodeJson(fields))) throw refusal('the name of a column');
        yield description(part.bytes, redactor);
      } else if ('batch' in part) {
        const head = part.bytes.subarray(0, part.bytes.length - part.batch.body.length);
        yield description(head, redactor);
        yield redactedBody(part.batch.body, (body) => rowsOfBatch(fields, { ...part.batch, body }), redactor);
      } else yield part.bytes;
    }
  reader.finish();
}

/** Asterisks would change the meaning of the description. */
function description(bytes: Buffer, redactor: Redactor): Buffer {
  if (redactor.mask(bytes) === bytes) return bytes;
  throw refusal('what describes its columns');
}

function redactedBody(body: Buffer, read: (body: Buffer) => Json, redactor: Redactor): Buffer {
  const masked = redactor.mask(body);
  if (masked === body && !redactor.finds(encodeJson(read(body)))) return body;
  try {
    if (!redactor.finds(encodeJson(read(masked)))) return masked;
  } catch {
    // The secret was not a text of its own: without it, the rest cannot be read.
  }
  throw refusal('a value that is not text');
}

function refusal(where: string): StoreRefusal {
  const message = `the result contains a secret in ${where}, and Woof cannot remove it there; leave it out, or select it as text`;
  return new StoreRefusal(failure('policy', message));
}
