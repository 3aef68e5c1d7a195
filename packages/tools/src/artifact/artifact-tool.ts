/**
 * Values by reference. `put` stores a value as JSON and returns its key as `uri`; `get` reads it back.
 *
 * A blob that another tool stored (an HTTP download) is read as rows if it is a table, otherwise as JSON, text or
 * base64, in that order of preference.
 */
import { ArrowFault, ArrowTooLarge, arrowRows } from '@woof/arrow';
import {
  decodeBytes,
  encodeJson,
  failure,
  handleOf,
  type Json,
  type Outcome,
  type Reference,
  referenceIn,
  sizeFailure,
} from '@woof/net';
import { FieldFault, fault, wordField } from '../fields.ts';
import { once } from '../once.ts';
import { settle } from '../settle.ts';
import type { Blobs, Tool, ToolCall } from '../tool.ts';
import { artifactSchema } from './artifact-schema.ts';

/** A value in a template must fit into memory several times. */
const MAX_BYTES = 64 * 1024 * 1024;

export function createArtifactTool(): Tool {
  return {
    schema: artifactSchema,
    run: (call, context) => settle('artifact', context.signal, () => artifact(call, context.blobs)),
  };
}

function artifact({ input }: ToolCall, blobs: Blobs): Promise<Outcome> {
  const action = wordField(input, 'action', ['get', 'put']) ?? (input.data === undefined ? 'get' : 'put');
  if (action === 'put') {
    if (input.data === undefined) throw new FieldFault('"data" is missing: put needs a value to store');
    return put(input.data, blobs);
  }
  return get(toReference(input.uri ?? input.result_ref), blobs);
}

async function put(data: Json, blobs: Blobs): Promise<Outcome> {
  const bytes = new TextEncoder().encode(encodeJson(data));
  if (bytes.length > MAX_BYTES) return tooLarge(bytes.length);
  const hint = { content_type: 'application/json' };
  const reference = await blobs.put(once(bytes), { hint, maxBytes: MAX_BYTES });
  return { status: 'ok', result: { data: handleOf(reference), uri: reference.key, size: reference.size } };
}

async function get(reference: Reference, blobs: Blobs): Promise<Outcome> {
  if (reference.size > MAX_BYTES) return tooLarge(reference.size);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of blobs.get(reference)) {
      size += chunk.length;
      if (size > MAX_BYTES) return tooLarge(size);
      chunks.push(chunk);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return failure('missing_reference', `artifact: cannot read ${reference.key}: ${why}`);
  }
  try {
    return { status: 'ok', result: { data: shownValue(Buffer.concat(chunks)), uri: reference.key, size } };
  } catch (error) {
    if (error instanceof ArrowTooLarge)
      return sizeFailure(`artifact: the table is too large: ${error.message}`);
    throw error;
  }
}

/** The first bytes of an Arrow stream. */
const ARROW_START = Buffer.from([0xff, 0xff, 0xff, 0xff]);

function shownValue(bytes: Buffer): Json {
  if (!bytes.subarray(0, 4).equals(ARROW_START)) return decodeBytes(bytes);
  try {
    return arrowRows(bytes);
  } catch (error) {
    if (error instanceof ArrowTooLarge || !(error instanceof ArrowFault)) throw error;
    return decodeBytes(bytes);
  }
}

function tooLarge(size: number): Outcome {
  return sizeFailure(
    `artifact: the value is ${size} bytes, and the limit is ${MAX_BYTES}; pass it on as a reference, or split it`,
  );
}

/** A bare key that is a sha256 is its own checksum, as in every content-addressed store. */
function toReference(value: Json | undefined): Reference {
  const reference = referenceIn(value);
  if (reference) return reference;
  if (typeof value !== 'string' || value === '')
    throw fault('uri', 'a reference, as put or the filter "ref" returns it, or its key', value);
  const hex = /[0-9a-f]{64}$/.exec(value)?.[0];
  return { store: '', key: value, checksum: hex ? `sha256:${hex}` : '', size: 0, schema_hint: null };
}
