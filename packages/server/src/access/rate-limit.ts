/** So many calls a second, with room for a burst of twice as many; a bucket a caller, bounded in number. */
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

  /** 0: go on. Else how many seconds to wait. */
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

  /** It turned out not to count. */
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
