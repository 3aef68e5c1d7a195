/**
 * Ends an execution that cannot be gone on with: its state is too large to be loaded, or each try to decide on it fails.
 * It is ended by its log alone, without its state, so that whatever is wrong with it cannot hurt this process.
 */
import { type Event, emptyState, evolve, newEvent, type State, type TaskError } from '@woof/net';
import type { ExecutionRow, Store } from '@woof/stores';

/** Gives a state that knows of nothing but the end; undefined where it goes on after all, at another server. */
export async function abandon(
  store: Store,
  executionId: string,
  why: TaskError,
  now: number,
): Promise<State | undefined> {
  const row = await store.execution(executionId);
  const plan = row && (await store.plan(row.plan_hash));
  if (row === undefined || plan === undefined) return undefined;
  const events =
    row.ended_at === undefined
      ? endOf(why, 'failed', now)
      : endOf(errorOf(row, why), row.status, row.ended_at);
  if (row.ended_at === undefined && !(await isTaken(store, row, events, why.message))) return undefined;
  return events.reduce(evolve, emptyState(executionId, plan));
}

async function isTaken(store: Store, row: ExecutionRow, events: Event[], error: string): Promise<boolean> {
  const ended_at = events[0]!.at;
  const change = { status: 'failed' as const, error, ended_at, due_at: null, wants: null };
  const wakes = row.parent === undefined ? {} : { wakes: [row.parent] };
  // A refusal says how long the log is.
  for (let expected = -1, tries = 0; tries < 2; tries++) {
    const append = { execution_id: row.execution_id, expected, events, row: change, ...wakes };
    const [refused] = await store.append([append]);
    if (refused === undefined) return true;
    expected = refused.actual;
  }
  return false;
}

function errorOf({ error }: ExecutionRow, why: TaskError): TaskError {
  return error === undefined ? why : { ...why, message: error };
}

function endOf(error: TaskError, status: State['status'], at: number): Event[] {
  const about = status === 'failed' ? { status, error: error as never } : { status };
  return [newEvent('workflow.finished', at, {}, about), newEvent('playbook.processed', at, {}, { status })];
}
