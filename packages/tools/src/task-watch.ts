import { StopWatch } from '@woof/kernels/stop-watch';
import { failure, type Outcome } from '@woof/net';
import { abortOutcome } from './settle.ts';

/** Watches the process of a task for the task's timeout and signal. */
export class TaskWatch extends StopWatch {
  readonly #signal: AbortSignal;
  readonly #seconds: number | undefined;

  constructor(signal: AbortSignal, seconds: number | undefined, kill: () => void) {
    super(
      { signal, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }) },
      { interrupt: undefined, kill, graceMs: 0 },
    );
    this.#signal = signal;
    this.#seconds = seconds;
  }

  /** Ends the watch. Returns the outcome if the watch ended the process. */
  end(kind: string): Outcome | undefined {
    this.stop();
    if (this.#signal.aborted) return abortOutcome(this.#signal);
    if (!this.timedOut) return undefined;
    return failure('timeout', `${kind}: the task was killed after its timeout of ${this.#seconds} s`);
  }
}
