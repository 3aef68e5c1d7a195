/** Large values, addressed by content: the key is the sha256 of the bytes, so equal values are stored once. */
import type { Json, Reference } from '@woof/net';

export { BlobError, type BlobFault } from '@woof/net';

export interface BlobStore {
  /** Durable when it resolves. */
  put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference>;
  /**
   * The same for bytes with a known reference. That the reference matches the bytes is checked only when they are read.
   */
  putBytes(bytes: Buffer, reference: Reference): Promise<void>;
  get(reference: Reference): AsyncIterable<Uint8Array>;
  /** Synchronous, for decisions; for a table, its rows as JSON. The fault `not_at_hand` means: call `bring` first. */
  getText(reference: Reference): string;
  /**
   * Reads some of its bytes synchronously and unchecked, with the faults of `getText`. Absent: only whole values can be
   * read.
   */
  getBytes?(reference: Reference, from: number, size: number): Buffer;
  /** Fetches a value that is stored elsewhere, so that `getText` can return it. */
  bring(reference: Reference): Promise<void>;
}
