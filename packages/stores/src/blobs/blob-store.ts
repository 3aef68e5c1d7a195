/** Large values by content: the key is the sha256 of the bytes, so equal values are stored once. */
import type { Json, Reference } from '@woof/net';

export interface BlobStore {
  /** Durable when it resolves. */
  put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference>;
  putText(text: string, reference: Reference): Promise<void>;
  get(reference: Reference): AsyncIterable<Uint8Array>;
  /** At once, for decisions. */
  getText(reference: Reference): string;
}

export type BlobFault = 'missing' | 'damaged' | 'too_large';

export class BlobError extends Error {
  constructor(
    readonly fault: BlobFault,
    message: string,
  ) {
    super(message);
  }
}
