/** Large values by content: the key is the sha256 of the bytes, so equal values are stored once. */
import type { Json, Reference } from '@woof/net';

export { BlobError, type BlobFault } from '@woof/net';

export interface BlobStore {
  /** Durable when it resolves. */
  put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference>;
  /** The same for bytes whose reference is known; nobody checks that it is theirs before they are read. */
  putBytes(bytes: Buffer, reference: Reference): Promise<void>;
  get(reference: Reference): AsyncIterable<Uint8Array>;
  /** At once, for decisions; of a table, its rows as JSON. A fault `not_at_hand` asks for `bring` first. */
  getText(reference: Reference): string;
  /** Some of its bytes at once, unchecked, with the faults of `getText`. Absent: only whole values can be read. */
  getBytes?(reference: Reference, from: number, size: number): Buffer;
  /** Makes a value that lies elsewhere one that `getText` gives. */
  bring(reference: Reference): Promise<void>;
}
