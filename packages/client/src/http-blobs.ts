/** Stored values of a server, with those at hand that were used here. */
import type { Json, Reference } from '@woof/net';
import { Problem } from '@woof/protocol';
import { BlobError, type BlobStore } from '@woof/stores';
import type { Client } from './client.ts';

export class HttpBlobs implements BlobStore {
  constructor(
    private readonly client: Client,
    /** Keeps what was sent and brought; what it loses is brought again. */
    private readonly near: BlobStore,
  ) {}

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    const reference = await this.near.put(bytes, options);
    await this.upload(reference, this.near.get(reference));
    return reference;
  }

  async putText(text: string, reference: Reference): Promise<void> {
    await this.near.putText(text, reference);
    await this.upload(reference, this.near.get(reference));
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    await this.bring(reference);
    yield* this.near.get(reference);
  }

  getText(reference: Reference): string {
    try {
      return this.near.getText(reference);
    } catch (error) {
      if (!(error instanceof BlobError) || error.fault === 'not_at_hand') throw error;
      throw new BlobError('not_at_hand', `the value ${reference.key} is not here yet`);
    }
  }

  async bring(reference: Reference): Promise<void> {
    try {
      this.near.getText(reference);
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      await this.download(reference);
    }
  }

  private async upload({ key }: Reference, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const body = bytes as unknown as RequestInit['body'];
    const headers = { 'content-type': 'application/octet-stream' };
    await this.client.send('blobs.put', { params: { sha256: key } }, { body, headers });
  }

  private async download({ key, size, schema_hint: hint }: Reference): Promise<void> {
    const response = await this.client.send('blobs.get', { params: { sha256: key } }).catch(missing);
    const bytes = response.body as unknown as AsyncIterable<Uint8Array>;
    await this.near.put(bytes, { hint, maxBytes: Math.max(size, 1) });
  }
}

function missing(error: unknown): never {
  if (error instanceof Problem && error.code === 'not-found')
    throw new BlobError('missing', 'the server has no such stored value');
  throw error;
}
