/** One execution as readers see it, beside a live run or after it. */
import { loadState } from '@woof/engine';
import type { State } from '@woof/net';
import type { ExecutionRow, SqliteStore } from '@woof/stores';
import { type DataDirectory, openForReading } from './data-directory.ts';
import { selectRun } from './select-run.ts';

export interface OpenRun {
  data: DataDirectory;
  store: SqliteStore;
  row: ExecutionRow;
}

export async function withRun<T>(
  word: string,
  dataFlag: string | undefined,
  use: (run: OpenRun) => Promise<T>,
): Promise<T> {
  const { store, ...data } = openForReading(dataFlag);
  try {
    return await use({ data, store, row: await selectRun(store, word) });
  } finally {
    await store.close();
  }
}

export async function stateOf({ store, row }: OpenRun): Promise<State> {
  const state = await loadState(store, row.execution_id);
  if (state === undefined) throw new Error(`the run ${row.execution_id} has a row and no log`);
  return state;
}
