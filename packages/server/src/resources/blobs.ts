/**
 * Stored values by their hash, streamed in both directions.
 *
 * Calls: packages/protocol/src/http/calls.ts.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Problem } from '@woof/protocol';
import { BlobError, referenceTo } from '@woof/stores';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

const LARGEST_BLOB = 4 * 1024 * 1024 * 1024;
const HEX = /^[0-9a-f]{64}$/;

export function blobs({ blobs: store }: Parts): Handlers<'blobs'> {
  return {
    'blobs.get': async ({ params, reply }) => {
      const bytes = store.get(referenceTo(checked(params.sha256), 0, null))[Symbol.asyncIterator]();
      // The first chunk shows whether the value exists, while the status can still be set.
      const first = await bytes.next().catch(missing);
      reply.type('application/octet-stream').header('x-content-type-options', 'nosniff');
      await reply.send(Readable.from(rest(first, bytes)));
      return undefined;
    },
    'blobs.add': async ({ raw }) => {
      const { key, size } = await store
        .put(bytesOf(raw), { hint: null, maxBytes: LARGEST_BLOB })
        .catch(tooLarge);
      return { sha256: key, size };
    },
    'blobs.put': async ({ params, raw }) => {
      const sha256 = checked(params.sha256);
      await store.put(verified(bytesOf(raw), sha256), { hint: null, maxBytes: LARGEST_BLOB }).catch(tooLarge);
      return undefined;
    },
  };
}

/** Any other body has already been read as JSON. */
function bytesOf(raw: IncomingMessage): IncomingMessage {
  if (raw.headers['content-type'] === 'application/octet-stream') return raw;
  throw new Problem('request/invalid', 'send the bytes as application/octet-stream');
}

function checked(sha256: string): string {
  if (HEX.test(sha256)) return sha256;
  throw new Problem('request/invalid', 'the name of a stored value has 64 hexadecimal digits');
}

async function* rest(first: IteratorResult<Uint8Array>, bytes: AsyncIterator<Uint8Array>) {
  for (let piece = first; !piece.done; piece = await bytes.next()) yield piece.value;
}

/** If the hash differs, fails before the last byte is passed on, so that nothing is stored. */
async function* verified(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Problem('request/invalid', 'the bytes do not have this hash');
}

function missing(error: unknown): never {
  if (error instanceof BlobError && error.fault === 'missing')
    throw new Problem('not-found', 'there is no such stored value');
  throw error;
}

function tooLarge(error: unknown): never {
  if (error instanceof BlobError && error.fault === 'too_large')
    throw new Problem('request/too-large', error.message);
  throw error;
}
