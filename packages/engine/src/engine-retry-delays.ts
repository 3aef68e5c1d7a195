/**
 * How long the engine waits before it retries its own work: twice as long after each failure, up to a limit. The delay
 * before a task is retried is in `net/src/policy.ts`.
 */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

export class EngineRetryDelays {
  private readonly counts = new Map<string, number>();

  /** Counts one more failure. */
  next(key: string): number {
    const failures = this.counts.get(key) ?? 0;
    this.counts.set(key, failures + 1);
    return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
  }

  /** The number of failures in a row. */
  failures(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** It succeeded, or nobody retries it any more. */
  clear(key: string): void {
    this.counts.delete(key);
  }
}
