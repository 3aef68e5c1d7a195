/** What is shown during a run: live lines on a terminal, plain lines elsewhere, nothing on request. */
import type { Event, State } from '@woof/net';
import type { LogEntry } from '@woof/stores';
import { LiveProgress } from './live-progress.ts';
import { PlainProgress } from './plain-progress.ts';

export interface Progress {
  /** Whether the output of tasks is shown as it arrives. */
  readonly showsLogs: boolean;
  /** Called with every batch of durable events, so it must be cheap: it prints nothing per iteration. */
  onEvents(events: readonly Event[], state: State): void;
  onLog(line: LogEntry): void;
  /** A line about the surroundings of the run, shown even if progress is not. */
  say(line: string): void;
  /** The last lines are written when it returns. */
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
