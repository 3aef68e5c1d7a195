/** Stops a process at its timeout, by an interrupt if it can be interrupted. Kills it at once when the signal aborts. */
import { LONGEST_TIMER_MS } from '@woof/net';
import type { CellRun } from './kernel.ts';

interface Means {
  interrupt: (() => void) | undefined;
  kill: () => void;
  graceMs: number;
}

export class StopWatch {
  readonly #signal: AbortSignal;
  readonly #means: Means;
  #timer: NodeJS.Timeout | undefined;
  timedOut = false;
  aborted = false;

  constructor({ timeoutMs, signal }: Pick<CellRun, 'timeoutMs' | 'signal'>, means: Means) {
    this.#signal = signal;
    this.#means = means;
    if (timeoutMs !== undefined)
      this.#timer = setTimeout(() => this.#expire(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#abort);
  }

  #expire(): void {
    this.timedOut = true;
    const { interrupt, kill, graceMs } = this.#means;
    if (interrupt) this.#timer = setTimeout(kill, graceMs);
    (interrupt ?? kill)();
  }

  readonly #abort = (): void => {
    this.aborted = true;
    this.#means.kill();
  };
}
