/**
 * A place of the document's choice for large results.
 *
 * Owns: writing and reading bytes under a key, and what an error of the place means. Does not own: keys, checksums, limits and
 * copies near by; whoever uses it does, the same for all.
 */
import type { Outcome } from '@woof/net';

export interface FarStore {
  /** Kind and place, without anything secret. */
  readonly name: string;
  /** Durable, and whole, when it resolves. What is there under the key already may stay: it is the same. */
  write(key: string, size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void>;
  /** Throws `Absent` where there is nothing under the key. */
  read(key: string): AsyncIterable<Uint8Array>;
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export class Absent extends Error {}
