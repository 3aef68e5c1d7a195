/**
 * The blobs of one task, watched: a tool says that it failed in words of its own, and where the reason is a stored value that
 * cannot be had or kept, the outcome is of that kind.
 */
import type { Outcome } from '@woof/net';
import type { Blobs, Parked } from '@woof/tools';
import { storedFailure } from './job-stores.ts';

interface Watched {
  blobs: Blobs;
  judged(outcome: Outcome | Parked, kind: string): Outcome | Parked;
}

export function watchBlobs(blobs: Blobs): Watched {
  let fault: Outcome | undefined;
  const note = (error: unknown): never => {
    fault ??= storedFailure(error);
    throw error;
  };
  return {
    blobs: {
      put: (bytes, options) => blobs.put(bytes, options).catch(note),
      async *get(reference) {
        try {
          yield* blobs.get(reference);
        } catch (error) {
          note(error);
        }
      },
    },
    judged: (outcome, kind) => {
      if (outcome.status !== 'error' || !fault || SAID.has(outcome.error?.kind)) return outcome;
      return { ...outcome, error: { ...fault.error!, message: `${kind}: ${fault.error!.message}` } };
    },
  };
}

/** What a tool knows better: that it was stopped, or that something is over a limit of its own. */
const SAID: ReadonlySet<string | undefined> = new Set(['cancelled', 'timeout', 'storage']);
