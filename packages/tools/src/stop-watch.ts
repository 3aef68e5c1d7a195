import { failure, LONGEST_TIMER_MS, type Outcome } from '@woof/net';
import { abortOutcome } from './settle.ts';

/** Watches a running process for its timeout and for the task's signal. Calls `kill` at most once. */
export class StopWatch {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal;
  readonly #onAbort: () => void;
  readonly #seconds: number | undefined;
  #late = false;

  constructor(signal: AbortSignal, seconds: number | undefined, kill: () => void) {
    this.#signal = signal;
    this.#seconds = seconds;
    this.#onAbort = kill;
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill, { once: true });
    if (seconds === undefined) return;
    const expire = () => {
      this.#late = true;
      kill();
    };
    this.#timer = setTimeout(expire, Math.min(seconds * 1000, LONGEST_TIMER_MS));
  }

  /** Ends the watch. Returns the outcome if the watch ended the process. */
  stop(kind: string): Outcome | undefined {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.#signal.aborted) return abortOutcome(this.#signal);
    if (!this.#late) return undefined;
    return failure('timeout', `${kind}: the task was killed after its timeout of ${this.#seconds} s`);
  }
}
