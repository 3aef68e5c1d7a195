import { LONGEST_TIMER_MS } from '@woof/net';
/** A time-out of a task's own, beside the signal that it gets from outside. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;

  constructor(seconds: number | undefined) {
    if (seconds === undefined || seconds === 0) return;
    this.timer = setTimeout(() => this.controller.abort(), Math.min(seconds * 1000, LONGEST_TIMER_MS));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get passed(): boolean {
    return this.controller.signal.aborted;
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}
