/** The bytes of a value to send elsewhere. Like a small table, an Arrow table becomes a JSON list of its rows. */
import { isArrow, jsonOf } from '@woof/arrow';
import { type Json, type Reference, referenceIn } from '@woof/net';
import type { Blobs } from './tool.ts';

export function jsonBytes(reference: Reference, blobs: Pick<Blobs, 'get'>): AsyncIterable<Uint8Array> {
  const bytes = blobs.get(reference);
  return isArrow(reference) ? jsonOf(bytes) : bytes;
}

/** The same, if size and checksum must be known in advance. */
export async function jsonReference(data: Json | undefined, blobs: Blobs): Promise<Json | undefined> {
  const reference = referenceIn(data);
  if (!isArrow(reference)) return data;
  const { length, columns } = reference.schema_hint;
  const hint = {
    type: 'list',
    length: length ?? null,
    columns: columns ?? null,
    content_type: 'application/json',
  };
  return blobs.put(jsonBytes(reference, blobs), { hint, maxBytes: Number.POSITIVE_INFINITY });
}
