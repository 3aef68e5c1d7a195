/** Large values in memory: as close as a disk to the process that shares the object. */
import { createHash } from 'node:crypto';
import type { Json, Reference } from '@woof/net';
import { BlobError, type BlobStore, referenceTo } from '@woof/stores';

export class MemoryBlobs implements BlobStore {
  private readonly texts = new Map<string, string>();

  async put(
    bytes: AsyncIterable<Uint8Array>,
    { hint }: { hint: Json; maxBytes: number },
  ): Promise<Reference> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    const reference = referenceTo(createHash('sha256').update(all).digest('hex'), all.length, hint);
    this.texts.set(reference.key, all.toString());
    return reference;
  }

  async putBytes(bytes: Buffer, reference: Reference): Promise<void> {
    this.texts.set(reference.key, bytes.toString());
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    yield Buffer.from(this.getText(reference));
  }

  getText(reference: Reference): string {
    const text = this.texts.get(reference.key);
    if (text === undefined) throw new BlobError('missing', `the stored value ${reference.key} is gone`);
    return text;
  }

  async bring(): Promise<void> {}
}
