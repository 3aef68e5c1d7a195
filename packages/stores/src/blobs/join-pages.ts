/**
 * Makes one value of results that lie in pages: `{"results": […], …}`, byte for byte as if it had been written at once. Only
 * one page is in memory at a time.
 */
import { encodeJson, isReference, type Json, type JsonObject, type Reference } from '@woof/net';
import type { BlobStore } from './blob-store.ts';

export function joinPages(blobs: BlobStore, pages: readonly Json[], rest: JsonObject): Promise<Reference> {
  const hint = { type: 'object', keys: ['results', ...Object.keys(rest)] };
  return blobs.put(texts(blobs, pages, rest), { hint, maxBytes: Number.POSITIVE_INFINITY });
}

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
