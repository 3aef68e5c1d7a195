/**
 * A line of the smoke test: a thing that a person does, with the time for which it keeps them waiting.
 *
 * The limit is generous, about ten times what a good run takes, so that only a stall exceeds it.
 */
import { itUnless } from '@woof/testkit/unless';

/** Beside other tests: only whether it works counts. */
const isUntimed = process.env.WOOF_SMOKE_UNTIMED !== undefined;

export interface Felt {
  ms: number;
  limitMs: number;
}

/** Measures the parts of a line for which a person waits; preparing and checking are not counted. */
export class Clock {
  ms = 0;

  add(ms: number): void {
    this.ms += ms;
  }

  async time<T>(waitFor: () => Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      return await waitFor();
    } finally {
      this.add(performance.now() - from);
    }
  }
}

export interface FeltOptions {
  /** Seconds. */
  limit: number;
  /** Why this machine cannot do it, if it cannot. */
  without?: string | undefined;
}

export function felt(
  name: string,
  { limit, without }: FeltOptions,
  line: (clock: Clock) => Promise<void> | void,
): void {
  itUnless(without)(name, async ({ task }) => {
    const clock = new Clock();
    try {
      await line(clock);
    } finally {
      Object.assign(task.meta, { felt: { ms: clock.ms, limitMs: limit * 1000 } satisfies Felt });
    }
    if (clock.ms <= limit * 1000 || isUntimed) return;
    throw new Error(`it works, but took ${(clock.ms / 1000).toFixed(1)} s; the limit is ${limit} s`);
  });
}
