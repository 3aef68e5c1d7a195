/** Runs until the first signal, then stops within the grace period; a second signal ends it at once. */
import { UserError } from '../user-error.ts';
import { watchSignals } from '../watch-signals.ts';

export const GRACE = {
  doc: 'on shutdown, wait up to S seconds for work in progress (default: 10)',
  value: 'S',
} as const;

export function graceOf(text = '10'): number {
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1000;
  throw new UserError(`--grace ${text}: expected a number of seconds`, 'for example --grace 30', 2);
}

export interface Serving {
  /** Says that it is ready. Whoever hears it may send a signal at once. */
  tell(): void | Promise<void>;
  stop(): Promise<void>;
  /** Ends it too, with an error. */
  fatal?: Promise<never>;
  /** Ends it as a signal does. */
  over?: Promise<void>;
}

export async function untilStopped({ tell, stop, fatal, over }: Serving): Promise<number> {
  // Waiting alone does not keep Node alive.
  const alive = setInterval(() => {}, 3_600_000);
  const signals = watchSignals();
  try {
    await tell();
    await Promise.race([signals.first, fatal, over].filter((end) => end !== undefined));
    return 0;
  } finally {
    await stop();
    signals.end();
    clearInterval(alive);
  }
}

export function fatally(): { fatal: Promise<never>; onFatal: (error: unknown) => void } {
  let onFatal: (error: unknown) => void = () => {};
  const fatal = new Promise<never>((_, reject) => {
    onFatal = reject;
  });
  // It may reject before anything awaits it.
  fatal.catch(() => {});
  return { fatal, onFatal };
}
