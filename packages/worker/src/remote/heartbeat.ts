/**
 * The heartbeat of a worker: it keeps the worker's leases, and tells how certain the worker can be of them.
 *
 * Owns: when a beat is sent, and how long ago the server answered one. Does not own: what is held (remote-port.ts).
 * Why the worker can be certain: a server gives a job to another worker only if its worker was silent for the ttl, or
 * did not name the job in two beats after the lease. An answered beat keeps the worker for the ttl, counted from when
 * it was sent. So a worker has not lost a job if it had no gap as long as the ttl since the lease, and received the job
 * in time to name it.
 */
import type { BeatAnswer } from '@woof/protocol';
import { pause } from './retrying.ts';
import { type Clocks, Stopwatch } from './stopwatch.ts';

const FIRST_AGAIN_MS = 1000;
const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 2000;

export interface HeartbeatOptions extends Clocks {
  /** Rejects if the server does not answer. */
  send(): Promise<BeatAnswer>;
  /** False: no other beat will be answered either. */
  onFailed(error: unknown): boolean;
}

export class Heartbeat {
  /** Time since the last answered beat was sent; initially, since the start. */
  private silence: Stopwatch;
  /** Time since the last gap as long as the ttl; initially, since the start. */
  private unbroken: Stopwatch;
  /** Time since the last beat was sent, answered or not, and since the one before it. */
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

  /** True: no server can have considered the worker dead since the last beat, nor will soon. */
  get isFresh(): boolean {
    return this.silence.ms < this.ttlMs - this.againMs;
  }

  /**
   * True: since a lease of this age, there has been no gap that could have cost it. Ask while the heartbeat is fresh.
   */
  hasKept(leasedMsAgo: number): boolean {
    return leasedMsAgo < this.unbroken.ms;
  }

  /**
   * True: a lease of this age on arrival is named in time, because at most one beat without its name was sent since. On
   * a slow connection beats are rare too, so that a worker there still gets its jobs.
   */
  namesInTime(leaseMs: number): boolean {
    return this.sentBefore === undefined || leaseMs < this.sentBefore.ms;
  }

  /** Beats until the server has answered a fresh beat, or until nobody wants to know any more. */
  async refresh(isWanted: () => boolean): Promise<void> {
    const next = (delay: number) => Math.min(delay * 2 || FIRST_RETRY_MS, LONGEST_RETRY_MS);
    for (let delay = 0; isWanted() && !this.isFresh && !this.isOver; delay = next(delay)) {
      if (delay > 0) await pause(delay);
      await this.beat();
    }
  }

  /** One at a time, shared by all callers. */
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
      // It may have reached the store only just before it was answered.
      if (this.silence.ms >= (this.ttlMs || ttl_ms)) this.unbroken = new Stopwatch(this.options);
      this.silence = sent;
      this.ttlMs = ttl_ms;
      this.againMs = again_ms;
    } catch (error) {
      this.isOver = !this.options.onFailed(error);
    }
  }
}
