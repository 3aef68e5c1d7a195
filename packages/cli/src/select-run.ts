/** Which execution RUN means: an id, a unique beginning or end of one, or `last`. */
import type { ExecutionRow, ReadStore } from '@woof/stores';
import { NoSuchRun, UserError } from './user-error.ts';

const LISTED = 8;

export async function selectRun(store: ReadStore, word: string): Promise<ExecutionRow> {
  if (word === 'last') {
    const [newest] = await store.executions({ roots: true, limit: 1 });
    return newest ?? fail('there is no run yet', 'start one with: woof run FILE');
  }
  const exact = await store.execution(word);
  if (exact) return exact;
  const all = await store.executions();
  const found = all.filter((row) => row.execution_id.startsWith(word) || row.execution_id.endsWith(word));
  // The id of a nested run begins with its caller's, so a beginning means the caller.
  const roots = found.filter((row) => row.parent === undefined);
  const candidates = roots.length > 0 ? roots : found;
  if (candidates.length === 1) return candidates[0]!;
  if (candidates.length === 0) throw new NoSuchRun(`there is no run "${word}"`, `known:${listed(all)}`, 2);
  return fail(`"${word}" matches ${candidates.length} runs`, `choose one:${listed(candidates)}`);
}

function listed(rows: readonly ExecutionRow[]): string {
  const shown = rows.slice(0, LISTED).map((row) => `\n    ${row.execution_id}  ${row.status}  ${row.name}`);
  const more = rows.length > LISTED ? `\n    and ${rows.length - LISTED} more: woof runs` : '';
  return rows.length === 0 ? ' none; start one with: woof run FILE' : shown.join('') + more;
}

function fail(message: string, fix: string): never {
  throw new UserError(message, fix, 2);
}
