/**
 * Makes one value of results that lie in pages: `{"results": […], …}`, byte for byte as if it had been written at once. Only
 * one page is in memory at a time.
 */
import {
  encodeJson,
  hintOf,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  type Reference,
} from '@woof/net';
import type { BlobStore } from './blob-store.ts';

export interface Pages {
  pages: readonly Json[];
  /** How many results they hold. */
  count: number;
}

export function joinPages(blobs: BlobStore, { pages, count }: Pages, rest: JsonObject): Promise<Reference> {
  const { fields, keys, length } = hintOf(rest) as { fields: JsonObject; keys: string[]; length: number };
  const holds = pages.some((page) => isReference(page) && holdsStored(page));
  const hint = {
    type: 'object',
    length: length + 1,
    keys: ['results', ...keys],
    fields,
    lengths: { results: count },
    ...(holds ? { holds_stored: true } : {}),
  };
  return blobs.put(texts(blobs, pages, rest), { hint, maxBytes: Number.POSITIVE_INFINITY });
}

const holdsStored = ({ schema_hint }: Reference): boolean =>
  isObject(schema_hint) && schema_hint.holds_stored === true;

async function* texts(blobs: BlobStore, pages: readonly Json[], rest: JsonObject): AsyncIterable<Uint8Array> {
  yield Buffer.from('{"results":[');
  for (const [index, page] of pages.entries()) {
    if (index > 0) yield Buffer.from(',');
    const bytes = isReference(page) ? await bytesOf(blobs, page) : Buffer.from(encodeJson(page));
    yield bytes.subarray(1, -1);
  }
  const more = encodeJson(rest).slice(1, -1);
  yield Buffer.from(more === '' ? ']}' : `],${more}}`);
}

async function bytesOf(blobs: BlobStore, reference: Reference): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.get(reference)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
