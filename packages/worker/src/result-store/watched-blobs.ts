/**
 * The blobs of one task, watched: a tool says that it failed in words of its own, and where the reason is a stored value that
 * cannot be had or kept, the outcome is of that kind.
 */
import type { Outcome, Reference } from '@woof/net';
import type { Blobs, Parked } from '@woof/tools';
import { storedFailure } from './job-stores.ts';

export class WatchedBlobs implements Blobs {
  private fault: Outcome | undefined;

  constructor(private readonly blobs: Blobs) {}

  put(...wanted: Parameters<Blobs['put']>): Promise<Reference> {
    return this.blobs.put(...wanted).catch((error: unknown) => this.note(error));
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    try {
      yield* this.blobs.get(reference);
    } catch (error) {
      this.note(error);
    }
  }

  judged(outcome: Outcome | Parked, kind: string): Outcome | Parked {
    const { fault } = this;
    if (outcome.status !== 'error' || !fault || SAID.has(outcome.error?.kind)) return outcome;
    return { ...outcome, error: { ...fault.error!, message: `${kind}: ${fault.error!.message}` } };
  }

  private note(error: unknown): never {
    this.fault ??= storedFailure(error);
    throw error;
  }
}

/** What a tool knows better: that it was stopped, or that something is over a limit of its own. */
const SAID: ReadonlySet<string | undefined> = new Set(['cancelled', 'timeout', 'storage']);
