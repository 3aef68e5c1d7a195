/** Limits calls per second, with bursts of twice as many: one token bucket per caller, and a bounded number of buckets. */
const MOST_CALLERS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** 0 if the call may proceed, otherwise the number of seconds to wait. */
  take(caller: string): number {
    const now = this.now();
    const bucket = this.bucket(caller, now);
    const most = this.perSecond * 2;
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / this.perSecond));
    bucket.left -= 1;
    return 0;
  }

  /** The call does not count after all. */
  giveBack(caller: string): void {
    const bucket = this.buckets.get(caller);
    if (bucket) bucket.left = Math.min(this.perSecond * 2, bucket.left + 1);
  }

  private bucket(caller: string, now: number): Bucket {
    let bucket = this.buckets.get(caller);
    if (bucket === undefined) {
      if (this.buckets.size >= MOST_CALLERS) this.forgetOldest();
      bucket = { left: this.perSecond * 2, at: now };
      this.buckets.set(caller, bucket);
    }
    return bucket;
  }

  private forgetOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
