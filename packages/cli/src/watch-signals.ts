/**
 * Ctrl-C, SIGTERM and any others that are named: the first one asks to stop, the second one ends the process at once.
 */
export interface Signals {
  /** Resolves with undefined at the first one. */
  first: Promise<undefined>;
  end(): void;
}

export const INTERRUPTED = 130;

/** `say`: how a message is fitted into what is on the screen. */
export function watchSignals(
  say: (line: string) => void = sayBelow,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'],
): Signals {
  let onFirst: () => void = () => {};
  const first = new Promise<undefined>((resolve) => {
    onFirst = () => resolve(undefined);
  });
  let seen = 0;
  const onSignal = () => {
    seen += 1;
    if (seen > 1) process.exit(INTERRUPTED);
    say('stopping; press Ctrl-C again to stop immediately');
    onFirst();
  };
  for (const signal of signals) process.on(signal, onSignal);
  const end = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { first, end };
}

/** The terminal has echoed ^C. */
function sayBelow(line: string): void {
  process.stderr.write(`\n${line}\n`);
}
