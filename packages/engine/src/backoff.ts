/** How long to wait before something is tried again: twice as long each time that it fails, up to a bound. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

export class Backoff {
  private readonly failures = new Map<string, number>();

  /** It failed once more. */
  next(key: string): number {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
  }

  /** It came through, or nobody tries it any more. */
  clear(key: string): void {
    this.failures.delete(key);
  }
}
