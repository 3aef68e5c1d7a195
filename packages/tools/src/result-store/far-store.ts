/**
 * The client of a result store: a place that the document chooses for large results.
 *
 * Owns: writing and reading bytes under a key, and the meaning of the place's errors. Does not own: keys, checksums,
 * limits and local copies, which its user handles in the same way for all places.
 */
import type { Outcome } from '@woof/net';

export interface FarStore {
  /** Kind and place, without secrets. */
  readonly name: string;
  /** When it resolves, the value is durable and complete. Existing content under the key may stay: it is the same. */
  write(key: string, size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Throws `Absent` if there is nothing under the key. */
  read(key: string): AsyncIterable<Uint8Array>;
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export class Absent extends Error {}
