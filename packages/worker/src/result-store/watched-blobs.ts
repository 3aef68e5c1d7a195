/**
 * The blobs of one task, watched. A tool reports a failure in its own words; if the reason is a stored value that
 * cannot be read or written, the outcome gets that kind.
 */
import { asData, type Json, type Outcome, type Reference } from '@woof/net';
import type { Blobs } from '@woof/tools';
import { storedFailure } from './job-stores.ts';

export class WatchedBlobs implements Blobs {
  private fault: Outcome | undefined;
  /** Keys of what the tool stored. */
  private readonly stored = new Set<string>();

  constructor(private readonly blobs: Blobs) {}

  async put(...wanted: Parameters<Blobs['put']>): Promise<Reference> {
    const reference = await this.blobs.put(...wanted).catch((error: unknown) => this.note(error));
    this.stored.add(reference.key);
    return reference;
  }

  /** What a tool returns is outside data, except for what it stored and for references that it received. */
  asData(outcome: Outcome, given: Json): Outcome {
    let keys: Set<string> | undefined;
    const isOwn = ({ key }: Reference) => {
      if (this.stored.has(key)) return true;
      keys ??= keysIn(given);
      return keys.has(key);
    };
    try {
      return asData(outcome, isOwn);
    } catch (error) {
      if (error instanceof RangeError) throw new Error('its result is nested too deeply or contains itself');
      throw error;
    }
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    try {
      yield* this.blobs.get(reference);
    } catch (error) {
      this.note(error);
    }
  }

  judged(outcome: Outcome, kind: string): Outcome {
    const { fault } = this;
    if (outcome.status !== 'error' || !fault || SAID.has(outcome.error?.kind)) return outcome;
    return { ...outcome, error: { ...fault.error!, message: `${kind}: ${fault.error!.message}` } };
  }

  private note(error: unknown): never {
    this.fault ??= storedFailure(error);
    throw error;
  }
}

function keysIn(given: Json): Set<string> {
  const keys = new Set<string>();
  asData(given, ({ key }) => keys.add(key) !== undefined);
  return keys;
}

/** Failures that a tool knows better: that it was stopped, or that something exceeds its own limit. */
const SAID: ReadonlySet<string | undefined> = new Set(['cancelled', 'timeout', 'storage']);
