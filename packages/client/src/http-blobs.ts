/** Stored values of a server. Wrap it in `CachedBlobs`, which keeps recently used values. */
import { createHash } from 'node:crypto';
import type { Json, Reference } from '@woof/net';
import { Problem } from '@woof/protocol';
import { BlobError, type BlobStore, referenceTo } from '@woof/stores';
import type { Client } from './client.ts';

const HEADERS = { 'content-type': 'application/octet-stream' };

export class HttpBlobs implements BlobStore {
  constructor(private readonly client: Client) {}

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    const body = bounded(bytes, options.maxBytes);
    const reply = await this.client.send('blobs.add', {}, { body, headers: HEADERS });
    const { sha256, size } = JSON.parse(await reply.text()) as { sha256: string; size: number };
    return referenceTo(sha256, size, options.hint);
  }

  async putBytes(bytes: Buffer, { key }: Reference): Promise<void> {
    const body = bytes as Uint8Array<ArrayBuffer>;
    const reply = await this.client.send(
      'blobs.put',
      { params: { sha256: key } },
      { body, headers: HEADERS },
    );
    // Read to the end, so that the connection can be reused.
    await reply.text();
  }

  async *get({ key }: Reference): AsyncIterable<Uint8Array> {
    const { body } = await this.client.send('blobs.get', { params: { sha256: key } }).catch(missing);
    const hash = createHash('sha256');
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== key)
      throw new BlobError(
        'damaged',
        `the stored value ${key} arrived damaged: its bytes do not match its hash`,
      );
  }

  getText({ key }: Reference): string {
    throw new BlobError('not_at_hand', `the stored value ${key} is on the server`);
  }

  async bring(): Promise<void> {}
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes)
      throw new BlobError('too_large', `the stored value exceeds the limit of ${maxBytes} bytes`);
    yield chunk;
  }
}

function missing(error: unknown): never {
  if (error instanceof Problem && error.code === 'not-found')
    throw new BlobError('missing', 'the server does not have this stored value');
  throw error;
}
