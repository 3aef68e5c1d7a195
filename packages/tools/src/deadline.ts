/**
 * The timeout of a task beside the signal that stops it from outside: `signal` aborts with the outer one, or when the time is
 * up. Whoever makes one clears it. Without a time, with 0, and beyond what a timer can wait for, there is no timeout.
 */
import { LONGEST_TIMER_MS } from '@woof/net';

export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  #passed = false;

  /** `reason`: of the signal when the time is up. */
  constructor(outer: AbortSignal, seconds: number | undefined, reason?: string) {
    this.#outer = outer;
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
    if (!isTimeout(seconds)) return;
    this.#timer = setTimeout(() => {
      this.#passed = true;
      this.#controller.abort(reason);
    }, seconds * 1000);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time was up. Whoever stopped the task from outside may have been faster. */
  get passed(): boolean {
    return this.#passed;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason);
}

export function isTimeout(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds > 0 && seconds * 1000 <= LONGEST_TIMER_MS;
}
