/**
 * The text of a run's document, stored once per version under its hash, which the source of the run names.
 *
 * No task waits for it and nothing fails because of it: if the text could not be stored, the run just cannot show it.
 */
import { createHash } from 'node:crypto';
import type { Plan } from '@woof/net';
import { type BlobStore, referenceTo } from '@woof/stores';
import type { Resolved } from './engine-options.ts';

const REMEMBERED = 1000;

export class KeptDocuments {
  /** Hashes of texts that are stored or being stored. */
  private readonly known = new Map<string, Promise<void>>();
  /** A document that is started often has one plan for all its runs. */
  private readonly digests = new WeakMap<Plan, { text: string; digest: string }>();

  constructor(private readonly blobs: BlobStore) {}

  /** The source with the hash of its text added. */
  named({ plan, source, text }: Pick<Resolved, 'plan' | 'source' | 'text'>): Record<string, string> {
    if (text === undefined) return source;
    const named = this.digests.get(plan);
    const digest = named?.text === text ? named.digest : this.hash(plan, text);
    if (!this.known.has(digest)) this.keep(digest, Buffer.from(text));
    return { ...source, document: digest };
  }

  private hash(plan: Plan, text: string): string {
    const digest = createHash('sha256').update(text).digest('hex');
    this.digests.set(plan, { text, digest });
    return digest;
  }

  /** Resolves when that text is no longer being written. */
  async stored(digest: string | undefined): Promise<void> {
    if (digest !== undefined) await this.known.get(digest);
  }

  /** Resolves when no text is being written. */
  async idle(): Promise<void> {
    await Promise.all(this.known.values());
  }

  private keep(digest: string, bytes: Buffer): void {
    if (this.known.size >= REMEMBERED) this.known.delete(this.known.keys().next().value!);
    const stored = this.blobs.putBytes(bytes, referenceTo(digest, bytes.length, null));
    this.known.set(
      digest,
      // The next run of this version tries again.
      stored.catch(() => void this.known.delete(digest)),
    );
  }
}
