/**
 * Lets a bounded number of tasks run processes at the same time: first come, first served.
 * A waiting task holds no process, and its timeout has not started.
 */
import { availableParallelism } from 'node:os';

/** Two more than the cores keep them busy while a task waits for its disk; below four, small machines would starve. */
export function defaultMaxRunning(): number {
  return Math.max(4, availableParallelism() + 2);
}

export class Turnstile {
  #inside = 0;
  /** In order of arrival. */
  readonly #waiting = new Set<() => void>();

  constructor(readonly limit: number) {}

  /** Rejects if the signal aborts before the body starts. */
  async pass<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#inside < this.limit) this.#inside += 1;
    else await this.#queue(signal);
    try {
      return await body();
    } finally {
      this.#leave();
    }
  }

  #queue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(admit);
        reject(signal.reason);
      };
      this.#waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** The place goes directly to the next in the queue, without becoming free in between. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
