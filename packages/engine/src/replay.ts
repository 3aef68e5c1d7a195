/** The state of an execution from its log: from the start, or from a snapshot and the events after it. */
import { createHash } from 'node:crypto';
import {
  decodeStored,
  type Event,
  type EventData,
  emptyState,
  encodeJson,
  evolve,
  fromSnapshot,
  type Limits,
  type Plan,
  type State,
  toSnapshot,
} from '@woof/net';
import type { ReadStore } from '@woof/stores';
import { type Lineage, lineageOf } from './lineage.ts';

/** The state is so far beyond the limits that loading it could bring the process down. */
export class TooLargeToLoad extends Error {}

/** A state may exceed its limits somewhat. It is not loaded if it exceeds them by this factor. */
const SLACK = 4;
/** Below what V8 allows for one text, at the default limit. */
const TEXT_SLACK = 2;

/** A store that reads from a file answers synchronously and would give nobody else a turn. */
const FOLDED_AT_ONCE = 1000;

export interface LoadOptions {
  snapshot?: boolean;
  /** Absent: the state is loaded however large it is. */
  limits?: Limits | undefined;
  onEvent?: OnEvent | undefined;
}

/** Called for each folded event, with the state after it. */
export type OnEvent = (state: State, event: Event) => void;

export async function loadState(
  store: ReadStore,
  executionId: string,
  options: LoadOptions = {},
): Promise<State | undefined> {
  const row = await store.execution(executionId);
  if (row === undefined) return undefined;
  const plan = await store.plan(row.plan_hash);
  if (plan === undefined) throw new Error(`the plan ${row.plan_hash} of run ${executionId} is missing`);
  const snapshot = options.snapshot === false ? undefined : await store.snapshot(executionId);
  const { limits, onEvent } = options;
  if (limits && snapshot)
    refuseLarger(snapshot.state.length, limits.state_bytes, 'bytes of state', TEXT_SLACK);
  const state = snapshot ? fromSnapshot(decodeStored(snapshot.state), plan) : emptyState(executionId, plan);
  return foldLog(store, state, limits, onEvent);
}

export async function foldLog(
  store: Pick<ReadStore, 'read'>,
  state: State,
  limits?: Limits,
  onEvent?: OnEvent,
): Promise<State> {
  let folded = 0;
  for await (const { from, events } of store.read(state.execution_id, state.seq)) {
    if (from + events.length <= state.seq) continue;
    folded += events.length;
    if (folded > FOLDED_AT_ONCE) {
      await new Promise((resolve) => setImmediate(resolve));
      folded = 0;
    }
    for (let index = state.seq - from; index < events.length; index++) {
      evolve(state, events[index]!);
      onEvent?.(state, events[index]!);
    }
    if (limits) refuseLargeState(state, limits);
  }
  return state;
}

function refuseLargeState({ jobs, loops, tokens }: State, limits: Limits): void {
  refuseLarger(jobs.size, limits.jobs, 'jobs');
  refuseLarger(loops.size, limits.loops, 'loops');
  refuseLarger(tokens.size, limits.tokens, 'tokens');
}

function refuseLarger(count: number, limit: number, what: string, slack = SLACK): void {
  if (count <= slack * limit) return;
  throw new TooLargeToLoad(`it is too large to load: it has ${count} ${what}, and the limit is ${limit}`);
}

export async function readEvents(store: Pick<ReadStore, 'read'>, executionId: string): Promise<Event[]> {
  const all: Event[] = [];
  for await (const { events } of store.read(executionId)) for (const event of events) all.push(event);
  return all;
}

export function hashState(state: State): string {
  return createHash('sha256')
    .update(encodeJson(toSnapshot(state)))
    .digest('hex');
}

export function hashPlan(plan: Plan): string {
  return hashPlanText(encodeJson(plan));
}

/** Of the JSON text of a plan. */
export function hashPlanText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

export interface Origin extends Lineage {
  source: Record<string, string>;
}

/** Where its document came from and which run it belongs to, according to its first event. */
export async function originOf(store: Pick<ReadStore, 'read'>, executionId: string): Promise<Origin> {
  const { source = {}, parent } = await firstData(store, executionId);
  return { source: source as Record<string, string>, ...lineageOf(executionId, parent) };
}

async function firstData(
  store: Pick<ReadStore, 'read'>,
  executionId: string,
): Promise<Partial<EventData['playbook.execution.requested']>> {
  for await (const { events } of store.read(executionId)) {
    const [first] = events;
    return first?.name === 'playbook.execution.requested' ? first.data : {};
  }
  return {};
}

export async function sourceOf(store: ReadStore, executionId: string): Promise<Record<string, string>> {
  return (await originOf(store, executionId)).source;
}
