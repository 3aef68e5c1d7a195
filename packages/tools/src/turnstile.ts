/**
 * Lets a bounded number of tasks run processes at the same time: first come, first served.
 * What waits holds no process, and its time-out has not begun.
 */
import { availableParallelism } from 'node:os';

/** Two more than the cores keep those busy while a task waits for its disk; fewer than four would starve small machines. */
export function defaultMaxRunning(): number {
  return Math.max(4, availableParallelism() + 2);
}

export class Turnstile {
  #inside = 0;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor(readonly limit: number) {}

  /** Rejects where the signal aborts before the body began. */
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

  /** The place passes to the next in the queue without becoming free in between. */
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
