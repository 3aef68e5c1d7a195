/**
 * Ends an execution that cannot be gone on with: its state is too large to be loaded, or each try to decide on it fails.
 * It is ended by its log alone, without its state, so that whatever is wrong with it cannot hurt this process.
 */
import { type Event, emptyState, evolve, newEvent, type State, type TaskError } from '@woof/net';
import type { Store } from '@woof/stores';

/** Gives a state that knows of nothing but the end; undefined where it had ended already. */
export async function isolate(
  store: Store,
  executionId: string,
  why: TaskError,
  now: number,
): Promise<State | undefined> {
  const row = await store.execution(executionId);
  const plan = row && (await store.plan(row.plan_hash));
  if (plan === undefined || row?.ended_at !== undefined) return undefined;
  const events = endOf(why, now);
  const ended = { status: 'failed' as const, error: why.message, ended_at: now, due_at: null, wants: null };
  const wakes = row?.parent === undefined ? {} : { wakes: [row.parent] };
  // A refusal says how long the log is; another server may write meanwhile, and then may have got further than we did.
  for (let expected = -1, tries = 0; tries < 2; tries++) {
    const append = { execution_id: executionId, expected, events, row: ended, ...wakes };
    const [refused] = await store.append([append]);
    if (refused === undefined) break;
    expected = refused.actual;
  }
  return events.reduce(evolve, emptyState(executionId, plan));
}

function endOf(error: TaskError, now: number): Event[] {
  return [
    newEvent('workflow.finished', now, {}, { status: 'failed', error: error as never }),
    newEvent('playbook.processed', now, {}, { status: 'failed' }),
  ];
}
