/**
 * Joins results that are stored in pages into one value: `{"results": […], …}`, byte for byte as if it had been written
 * at once. Only one page is in memory at a time.
 */
import {
  encodeJson,
  hintOf,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  type Reference,
  wholeSize,
} from '@woof/net';
import type { BlobStore } from './blob-store.ts';

export interface Pages {
  pages: readonly Json[];
  /** How many results the pages contain. */
  count: number;
}

export async function joinPages(
  blobs: BlobStore,
  { pages, count }: Pages,
  rest: JsonObject,
): Promise<Reference> {
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
  const options = { hint, maxBytes: Number.POSITIVE_INFINITY };
  const reference = await blobs.put(texts(blobs, pages, rest), options);
  return holds ? withWholeSize(reference, pages.filter(isReference)) : reference;
}

/** Items of the pages may be stored in turn, which adds to the whole size. */
function withWholeSize(reference: Reference, pages: readonly Reference[]): Reference {
  const whole = pages.reduce((sum, page) => sum + wholeSize(page) - page.size, reference.size);
  return { ...reference, schema_hint: { ...(reference.schema_hint as JsonObject), whole_size: whole } };
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
