/**
 * Ends an execution that cannot be gone on with: its state is too large to be loaded, or each try to decide on it fails.
 * It is ended by its log alone, without its state, so that whatever is wrong with it cannot hurt this process.
 */
import { type EventOf, emptyState, evolve, newEvent, type State, type TaskError } from '@woof/net';
import type { ExecutionRow, ReadStore, Store } from '@woof/stores';

/** Gives the state with nothing in it but the end; undefined where it goes on after all, at another server. */
export async function abandon(
  store: Store,
  executionId: string,
  why: TaskError,
  now: number,
): Promise<State | undefined> {
  const row = await store.execution(executionId);
  if (row === undefined) return undefined;
  if (row.ended_at === undefined && !(await isTaken(store, row, endOf(why, 'failed', now)))) return undefined;
  return endAlone(store, executionId);
}

/** Of an execution that has ended: a state that knows of nothing but that. */
export async function endAlone(store: ReadStore, executionId: string): Promise<State | undefined> {
  const row = await store.execution(executionId);
  const plan = row?.ended_at === undefined ? undefined : await store.plan(row.plan_hash);
  if (plan === undefined || row?.ended_at === undefined) return undefined;
  const error = { kind: 'unknown', retryable: false, message: row.error ?? '' } as const;
  return endOf(error, row.status, row.ended_at).reduce<State>(evolve, emptyState(executionId, plan));
}

async function isTaken(store: Store, row: ExecutionRow, events: End): Promise<boolean> {
  const [{ at: ended_at, data }] = events;
  const error = data.error?.message ?? '';
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

type End = [EventOf<'workflow.finished'>, EventOf<'playbook.processed'>];

function endOf(error: TaskError, status: State['status'], at: number): End {
  const about = status === 'failed' ? { status, error } : { status };
  return [newEvent('workflow.finished', at, {}, about), newEvent('playbook.processed', at, {}, { status })];
}
