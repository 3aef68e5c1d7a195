/** What is shown while a run goes on: live lines on a terminal, plain lines elsewhere, nothing where asked. */
import type { Event, State } from '@woof/net';
import type { LogLine } from '@woof/worker';
import { LiveProgress } from './live-progress.ts';
import { PlainProgress } from './plain-progress.ts';

export interface Progress {
  /** Whether what tasks write is shown as it comes. */
  readonly showsLogs: boolean;
  /** Called with every batch of durable events, so it must be cheap: it prints nothing an iteration. */
  onEvents(events: readonly Event[], state: State): void;
  onLog(line: LogLine): void;
  /** A line about what is around the run, shown even where progress is not. */
  say(line: string): void;
  /** The last lines are out when it returns. */
  end(): void;
}

const silent: Progress = {
  showsLogs: false,
  onEvents() {},
  onLog() {},
  say: (line) => process.stderr.write(`${line}\n`),
  end() {},
};

export function createProgress(flags: { quiet?: true; json?: true }): Progress {
  if (flags.quiet) return silent;
  if (process.stderr.isTTY && process.env.TERM !== 'dumb') return new LiveProgress(process.stderr);
  return flags.json ? silent : new PlainProgress(process.stderr);
}
