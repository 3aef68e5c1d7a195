/** The nested run in which a failure began. The run that called it knows only the message. */
import type { State } from '@woof/net';
import type { ExecutionRow } from '@woof/stores';
import { type OpenRun, stateOf } from './open-run.ts';
import { harmless, type Painter } from './terminal.ts';
import { tracebackLines, whyRunFailed } from './why-run-failed.ts';

/** Why the innermost run failed, for people; empty if the run itself failed. */
export async function nestedFailure(run: OpenRun, state: State, paint: Painter): Promise<string[]> {
  const failed = await innermost(run, state);
  if (failed === undefined) return [];
  const { row, state: inner } = failed;
  const why = [
    ...whyRunFailed(inner, row.file, paint),
    ...tracebackLines(inner, inner.error?.step, row.file, paint),
  ];
  return [`  in      nested run ${harmless(row.execution_id)}`, ...why.map((line) => `    ${line}`)];
}

interface Failed {
  row: ExecutionRow;
  state: State;
}

async function innermost({ home, row }: OpenRun, { error }: State): Promise<Failed | undefined> {
  // The task that called it reports its id. Other nested runs can have failed, and the run continued.
  const called = error?.details?.execution_id;
  const culprit = typeof called === 'string' ? await home.store.execution(called) : undefined;
  if (culprit?.status !== 'failed' || culprit.parent !== row.execution_id) return undefined;
  const inner = { home, row: culprit };
  // If its log cannot be read, the log of the run itself still can.
  const state = await stateOf(inner).catch(() => undefined);
  return state && ((await innermost(inner, state)) ?? { row: culprit, state });
}
