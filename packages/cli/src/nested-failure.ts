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

async function innermost({ home, row }: OpenRun, state: State): Promise<Failed | undefined> {
  const called = await home.store.executions({ parent: row.execution_id });
  const culprit = called.find(({ status, error }) => status === 'failed' && isCause(error, state));
  if (culprit === undefined) return undefined;
  const inner = { home, row: culprit };
  const itsState = await stateOf(inner);
  return (await innermost(inner, itsState)) ?? { row: culprit, state: itsState };
}

/** Other nested runs can have failed, and the run continued. */
function isCause(error: string | undefined, { error: failure }: State): boolean {
  return error !== undefined && failure?.message.endsWith(error) === true;
}
