/**
 * Ends an execution that cannot continue: its state is too large to load, or every attempt to decide on it fails. It is
 * ended through its log alone, without its state, so that whatever is wrong with it cannot harm this process.
 */
import { type EventOf, emptyState, evolve, newEvent, type State, type TaskError } from '@woof/net';
import type { ExecutionRow, ReadStore, Store } from '@woof/stores';

/** Returns a state that contains only the end; undefined if the execution continues after all, on another server. */
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

/** For an execution that has ended: a state that contains only the end. */
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
  // A refusal tells how long the log is.
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
