/**
 * How much time has passed, including while the process was stopped or the machine asleep: the larger of what two
 * clocks say. The monotonic clock stands still while a Linux machine sleeps; the wall clock may be set back.
 */
export interface Clocks {
  /** Wall clock, ms. */
  now(): number;
  /** Monotonic, ms. */
  uptime(): number;
}

export class Stopwatch {
  private readonly now: number;
  private readonly uptime: number;

  constructor(private readonly clocks: Clocks) {
    this.now = clocks.now();
    this.uptime = clocks.uptime();
  }

  get ms(): number {
    return Math.max(this.clocks.now() - this.now, this.clocks.uptime() - this.uptime);
  }
}
