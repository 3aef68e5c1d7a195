/**
 * `woof run --watch`: runs a document, and again whenever it or a file that it names is saved, until Ctrl-C.
 *
 * A save cancels a run that has not ended: whoever saved wants to see what the new text does.
 */
import { basename, relative } from 'node:path';
import { exitWithError } from '../exit-with-error.ts';
import { harmless, painter } from '../terminal.ts';
import { INTERRUPTED } from '../watch-signals.ts';
import { look, nextSave } from './watched-files.ts';

export interface Watched {
  /** The document comes first; called again before each run. */
  files(): string[];
  /** Runs it once; `outdated` aborts when it is saved in the meantime. */
  run(outdated: AbortSignal): Promise<number>;
  /** Cancels the last run if it waits for approval: nothing drives it then. */
  cancelWaiting(): Promise<void>;
  quiet: boolean;
}

export async function watchRuns(watched: Watched): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    for (;;) {
      const status = await untilSaved(watched, stop.signal);
      if (stop.signal.aborted) return status === INTERRUPTED ? INTERRUPTED : 0;
    }
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    process.exitCode = undefined;
  }
}

/** One run and the wait for the next save; returns the exit code of the run. */
async function untilSaved({ files, run, cancelWaiting, quiet }: Watched, stop: AbortSignal): Promise<number> {
  // A save while the document is being read counts as a save after that.
  const seen = look(files());
  const outdated = new AbortController();
  const saved = nextSave(seen, stop).then((names) => {
    if (names.length > 0) outdated.abort();
    return names;
  });
  const status = await run(outdated.signal).catch(exitWithError);
  if (!outdated.signal.aborted && !stop.aborted && !quiet)
    say(`watching ${named([...seen.keys()])}; Ctrl-C stops`);
  const names = await saved;
  if (names.length > 0) await cancelWaiting().catch(exitWithError);
  if (names.length > 0 && !quiet) say(`${named(names)} was saved; running again`);
  return status;
}

const MOST_NAMED = 3;

function named(files: readonly string[]): string {
  const names = files.slice(0, MOST_NAMED).map((file) => relative('.', file) || basename(file));
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  return harmless(`${names.join(', ')}${more}`);
}

function say(text: string): void {
  process.stderr.write(`${painter(process.stderr)(`— ${text}`, 'dim')}\n`);
}
