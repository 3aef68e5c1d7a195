/**
 * The beats of a worker: they keep its leases, and tell how sure it can be of them.
 *
 * Owns: when a beat is sent, and how long ago the server answered one. Does not own: what is held (remote-port.ts).
 * Why it can be sure: servers give a job to another worker when its worker was silent for the ttl, or does not name the job
 * in two beats after the lease. An answered beat keeps the worker for the ttl from when it was sent. So a worker has not
 * lost a job if it had no gap as long as the ttl since the lease, and got the job in time to name it.
 */
import type { BeatAnswer } from '@woof/protocol';
import { pause } from './retrying.ts';
import { type Clocks, Stopwatch } from './stopwatch.ts';

const FIRST_AGAIN_MS = 1000;
const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 2000;

export interface HeartbeatOptions extends Clocks {
  /** Rejects where the server does not answer. */
  send(): Promise<BeatAnswer>;
  /** False: no other beat will be answered either. */
  onFailed(error: unknown): boolean;
}

export class Heartbeat {
  /** Since the last answered beat was sent; at first, since the start. */
  private silence: Stopwatch;
  /** Since the last gap that was as long as the ttl; at first, since the start. */
  private unbroken: Stopwatch;
  /** Since the last beat was sent, answered or not, and since the one before it. */
  private sent: Stopwatch | undefined;
  private sentBefore: Stopwatch | undefined;
  private ttlMs = 0;
  private againMs = FIRST_AGAIN_MS;
  private beating: Promise<void> | undefined;
  private isOver = false;

  constructor(private readonly options: HeartbeatOptions) {
    this.silence = new Stopwatch(options);
    this.unbroken = this.silence;
  }

  /** Beats until told to stop. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.isOver) {
      await this.beat();
      await pause(this.againMs, signal);
    }
  }

  /** No server can have taken the worker for dead since the last beat, nor will soon. */
  get isFresh(): boolean {
    return this.silence.ms < this.ttlMs - this.againMs;
  }

  /** The lease of so long ago has seen no gap that could have cost it. Ask while it is fresh. */
  hasKept(leasedMsAgo: number): boolean {
    return leasedMsAgo < this.unbroken.ms;
  }

  /**
   * A lease that is so old when it arrives is named in time: at most one beat was sent since without its name. On a slow way
   * beats are rare too, so that a worker there still gets its jobs.
   */
  namesInTime(leaseMs: number): boolean {
    return this.sentBefore === undefined || leaseMs < this.sentBefore.ms;
  }

  /** Beats until the server has answered one that was sent just now, or until nobody wants to know any more. */
  async refresh(isWanted: () => boolean): Promise<void> {
    const next = (delay: number) => Math.min(delay * 2 || FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (let delay = 0; isWanted() && !this.isFresh && !this.isOver; delay = next(delay)) {
      if (delay > 0) await pause(delay);
      await this.beat();
    }
  }

  /** One at a time, for all who want one. */
  private beat(): Promise<void> {
    this.beating ??= this.beatOnce().finally(() => {
      this.beating = undefined;
    });
    return this.beating;
  }

  private async beatOnce(): Promise<void> {
    const sent = new Stopwatch(this.options);
    this.sentBefore = this.sent;
    this.sent = sent;
    try {
      const { ttl_ms, again_ms } = await this.options.send();
      // It may have reached the store as late as it was answered.
      if (this.silence.ms >= (this.ttlMs || ttl_ms)) this.unbroken = new Stopwatch(this.options);
      this.silence = sent;
      this.ttlMs = ttl_ms;
      this.againMs = again_ms;
    } catch (error) {
      this.isOver = !this.options.onFailed(error);
    }
  }
}
