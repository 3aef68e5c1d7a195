/**
 * One store that a document named, as blobs: addressed by content, bounded, verified.
 *
 * A value is first written to a local file, which gives its key, checksum and size, and then to the store. What is read
 * is compared with its checksum to the last byte. Decisions need a text synchronously, so it is copied to a local
 * folder of bounded size.
 */
import { createHash, randomBytes } from 'node:crypto';
import { promises } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Json, Outcome, Reference } from '@woof/net';
import { BlobError, type BlobStore, CachedBlobs, damaged, digestOf, FileBlobs, once } from '@woof/stores';
import { Absent, type FarStore } from '@woof/tools';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 1600;

/** The store itself, or the connection to it, refused. */
export class StoreRefusal extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message);
  }
}

export class ResultStore implements BlobStore {
  private readonly near: CachedBlobs;

  constructor(
    private readonly far: FarStore,
    private readonly folder: string,
    private readonly maxBytes: number,
  ) {
    this.near = new CachedBlobs(join(folder, 'near'), {
      get: (reference) => this.fromFar(reference),
      put: (bytes, options) => this.put(bytes, options),
      putBytes: (bytes, reference) => this.putBytes(bytes, reference),
    });
  }

  get name(): string {
    return this.far.name;
  }

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    const maxBytes = Math.min(options.maxBytes, this.maxBytes);
    // A separate folder, because an equal value may be in transit at the same time.
    const folder = join(this.folder, `spool-${randomBytes(8).toString('hex')}`);
    const spool = new FileBlobs(folder);
    try {
      const spooled = await spool.put(bytes, { hint: options.hint, maxBytes });
      await this.toFar(spooled, spool);
      return { ...spooled, store: this.name };
    } finally {
      await promises.rm(folder, { recursive: true, force: true });
    }
  }

  async putBytes(bytes: Buffer, reference: Reference): Promise<void> {
    await this.put(once(bytes), { hint: reference.schema_hint, maxBytes: this.maxBytes });
  }

  get(reference: Reference): AsyncIterable<Uint8Array> {
    return this.near.get(reference);
  }

  getText(reference: Reference): string {
    return this.near.getText(reference);
  }

  bring(reference: Reference): Promise<void> {
    return this.near.bring(reference);
  }

  close(): Promise<void> {
    return this.far.close();
  }

  /** The task has done its work: it must not run again because the store was busy for a moment. */
  private async toFar(spooled: Reference, spool: FileBlobs): Promise<void> {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs *= 4) {
      try {
        return await this.far.write(spooled.key, spooled.size, () => spool.get(spooled));
      } catch (error) {
        const refusal = new StoreRefusal(this.far.failure(error));
        if (!refusal.outcome.error?.retryable || delayMs > LONGEST_DELAY_MS) throw refusal;
      }
      await setTimeout(delayMs);
    }
  }

  private async *fromFar(reference: Reference): AsyncIterable<Uint8Array> {
    const key = digestOf(reference);
    const hash = createHash('sha256');
    try {
      for await (const chunk of this.far.read(key)) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof Absent)
        throw new BlobError('missing', `the stored value ${key} is no longer in ${this.name}`);
      throw new StoreRefusal(this.far.failure(error));
    }
    if (hash.digest('hex') !== key) throw damaged(reference);
  }
}
