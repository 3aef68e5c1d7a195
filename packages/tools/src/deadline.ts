/**
 * Combines a task's timeout with the signal that stops it from outside: `signal` aborts with the outer one, or when the
 * time is up. The creator must clear it. There is no timeout if the time is absent, 0, or longer than a timer can wait.
 */
import { LONGEST_TIMER_MS } from '@woof/net';

export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  #passed = false;

  /** `reason`: the signal's reason when the time is up. */
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

  /** Whether the time was up, unless the outer signal came first. */
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
