/** How long to wait before something is tried again: twice as long each time that it fails, up to a bound. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

export class Backoff {
  private readonly counts = new Map<string, number>();

  /** It failed once more. */
  next(key: string): number {
    const failures = this.counts.get(key) ?? 0;
    this.counts.set(key, failures + 1);
    return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
  }

  /** How often in a row. */
  failures(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** It came through, or nobody tries it any more. */
  clear(key: string): void {
    this.counts.delete(key);
  }
}
