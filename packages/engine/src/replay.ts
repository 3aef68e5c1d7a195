/** The state of an execution from its log: from the start, or from a snapshot and what came after. */
import { createHash } from 'node:crypto';
import {
  type Event,
  emptyState,
  evolve,
  fromSnapshot,
  type Json,
  type Plan,
  type State,
  toSnapshot,
} from '@woof/net';
import type { ReadStore } from '@woof/stores';

export async function loadState(
  store: ReadStore,
  executionId: string,
  options: { snapshot?: boolean } = {},
): Promise<State | undefined> {
  const row = await store.execution(executionId);
  if (row === undefined) return undefined;
  const plan = await store.plan(row.plan_hash);
  if (plan === undefined) throw new Error(`the plan ${row.plan_hash} of execution ${executionId} is missing`);
  const snapshot = options.snapshot === false ? undefined : await store.snapshot(executionId);
  const state = snapshot
    ? fromSnapshot(JSON.parse(snapshot.state) as Json, plan)
    : emptyState(executionId, plan);
  return foldLog(store, state);
}

export async function foldLog(store: Pick<ReadStore, 'read'>, state: State): Promise<State> {
  for await (const { from, events } of store.read(state.execution_id, state.seq)) {
    if (from + events.length <= state.seq) continue;
    for (let index = state.seq - from; index < events.length; index++) evolve(state, events[index]!);
  }
  return state;
}

export async function readEvents(store: Pick<ReadStore, 'read'>, executionId: string): Promise<Event[]> {
  const all: Event[] = [];
  for await (const { events } of store.read(executionId)) for (const event of events) all.push(event);
  return all;
}

export function hashState(state: State): string {
  return createHash('sha256')
    .update(JSON.stringify(toSnapshot(state)))
    .digest('hex');
}

export function hashPlan(plan: Plan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex').slice(0, 32);
}

/** Where its document came from, as its first event says. */
export async function sourceOf(store: ReadStore, executionId: string): Promise<Record<string, string>> {
  for await (const { events } of store.read(executionId)) {
    return (events[0]?.data?.source ?? {}) as Record<string, string>;
  }
  return {};
}
