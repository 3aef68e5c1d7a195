/** One execution as readers see it, beside a live run or after it. */
import { loadState } from '@woof/engine';
import type { State } from '@woof/net';
import type { ExecutionRow, SqliteStore } from '@woof/stores';
import { noticeDamage, readLog, readRows } from './damaged-log.ts';
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
    const row = await readRows(data.path, () => selectRun(store, word));
    const place = { executionId: row.execution_id, folder: data.path };
    return await noticeDamage(place, () => use({ data, store, row }));
  } finally {
    await store.close();
  }
}

export function stateOf({ data, store, row }: OpenRun): Promise<State> {
  const { execution_id: executionId } = row;
  return readLog({ executionId, folder: data.path }, async () => {
    const state = await loadState(store, executionId);
    if (state === undefined) throw new Error(`the run ${executionId} has a row and no log`);
    return state;
  });
}
