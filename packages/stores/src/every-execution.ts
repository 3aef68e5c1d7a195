/** Rows of all matching executions, newest first, one page at a time, so that nobody holds all of them at once. */
import type { ExecutionFilter, ExecutionRow, ReadStore } from './store.ts';

const PAGE = 500;

export async function* everyExecution(
  store: Pick<ReadStore, 'executions'>,
  filter: Omit<ExecutionFilter, 'before' | 'limit'> = {},
  page = PAGE,
): AsyncGenerator<ExecutionRow> {
  for (let before: string | undefined; ; ) {
    const from = before === undefined ? {} : { before };
    const rows = await store.executions({ ...filter, ...from, limit: page });
    yield* rows;
    if (rows.length < page) return;
    before = rows.at(-1)!.execution_id;
  }
}
