/** One execution as readers see it, during a live run or after it. */
import { loadState } from '@woof/engine';
import type { JsonObject, State } from '@woof/net';
import { type ExecutionRow, loaded } from '@woof/stores';
import { noticeDamage, readLog, readRows } from './damaged-log.ts';
import type { Home } from './home.ts';
import type { HomeFlags } from './home-flags.ts';
import { openHome } from './open-home.ts';
import { selectRun } from './select-run.ts';

export interface OpenRun {
  home: Home;
  row: ExecutionRow;
}

export async function withRun<T>(
  word: string,
  flags: HomeFlags,
  use: (run: OpenRun) => Promise<T>,
): Promise<T> {
  const home = await openHome(flags);
  try {
    const row = await readRows(home.name, () => selectRun(home.store, word));
    const place = { executionId: row.execution_id, folder: home.name };
    return await noticeDamage(place, () => use({ home, row }));
  } finally {
    await home.close();
  }
}

export function stateOf({ home, row }: OpenRun): Promise<State> {
  const { execution_id: executionId } = row;
  return readLog({ executionId, folder: home.name }, async () => {
    const state = await loadState(home.store, executionId);
    if (state === undefined) throw new Error(`the run ${executionId} has a row and no log`);
    return state;
  });
}

/** Its state with the values of the workload, not references to them. */
export async function withWorkload({ home }: OpenRun, state: State): Promise<State> {
  const workload = await loaded(state.workload, (reference) => home.text(reference));
  return { ...state, workload: workload as JsonObject };
}
