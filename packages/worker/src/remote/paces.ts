/**
 * How many jobs of a plan begin in one tick of the event loop. The templates and results of one job may take tens of
 * milliseconds, and a worker that receives 64 such jobs at once must not begin all of them before anything else.
 *
 * A plan begins with one job per tick. The number doubles with every short tick, so that short jobs share their
 * reports, and returns to one after a long tick, when others get a moment too.
 */
import type { Plan } from '@woof/net';
import { pause } from './retrying.ts';

const LONG_TICK_MS = 10;
const MOMENT_MS = 2;
const MOST_AT_ONCE = 128;

export class Paces {
  private readonly known = new WeakMap<Plan, Pace>();

  constructor(private readonly uptime: () => number) {}

  of(plan: Plan): Pace {
    let pace = this.known.get(plan);
    if (pace === undefined) {
      pace = new Pace(this.uptime);
      this.known.set(plan, pace);
    }
    return pace;
  }
}

export class Pace {
  private atOnce = 1;
  private waiting: (() => void)[] = [];
  private isBeginning = false;

  constructor(private readonly uptime: () => number) {}

  /** They begin in order, after those that wait. */
  each<T>(jobs: readonly T[], begin: (job: T) => void): void {
    for (const job of jobs) this.waiting.push(() => begin(job));
    if (!this.isBeginning) void this.beginAll();
  }

  private async beginAll(): Promise<void> {
    this.isBeginning = true;
    while (this.waiting.length > 0) {
      const since = this.uptime();
      for (const begin of this.waiting.splice(0, this.atOnce)) begin();
      await new Promise((resolve) => setImmediate(resolve));
      const isLong = this.uptime() - since > LONG_TICK_MS;
      this.atOnce = isLong ? 1 : Math.min(this.atOnce * 2, MOST_AT_ONCE);
      if (isLong && this.waiting.length > 0) await pause(MOMENT_MS);
    }
    this.isBeginning = false;
  }
}
