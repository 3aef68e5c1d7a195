/**
 * A recorded log as text: a line per execution with its plan, then a line per event, then a line per stored value. Logs
 * of earlier versions of Woof are never changed: later versions must read them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashState } from '@woof/engine';
import {
  decodeJson,
  type Event,
  emptyState,
  evolve,
  type Json,
  type JsonObject,
  type RawEvent,
  type Reference,
  readEvent,
  readPlan,
  type State,
} from '@woof/net';
import type { BlobStore, ExecutionRow, Store } from '@woof/stores';

export const folder = fileURLToPath(new URL('.', import.meta.url));

export interface GoldenExecution {
  row: ExecutionRow;
  plan: JsonObject;
  /** The version of the log. */
  version: number;
  /** The hash of the state that its events fold to. */
  state: string;
  events: Partial<RawEvent>[];
}

export interface GoldenLog {
  /** Callers come after the executions that they called. */
  executions: GoldenExecution[];
  blobs: { reference: Reference; text: string }[];
}

export function goldenNames(): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => name.slice(0, -'.jsonl'.length));
}

export function readGolden(name: string): GoldenLog {
  const log: GoldenLog = { executions: [], blobs: [] };
  for (const line of readFileSync(`${folder}${name}.jsonl`, 'utf8').trimEnd().split('\n')) {
    const value = decodeJson<JsonObject>(line);
    if ('row' in value) log.executions.push({ ...(value as never as GoldenExecution), events: [] });
    else if ('reference' in value) log.blobs.push(value as never);
    else log.executions.at(-1)!.events.push(value as never);
  }
  return log;
}

export function eventsOf({ events, version }: GoldenExecution): Event[] {
  return events.map((event) => readEvent({ ...NO_PLACE, ...(event as RawEvent) }, version));
}

/** The state that this program folds the events to. */
export function stateOf(golden: GoldenExecution): State {
  const empty = emptyState(golden.row.execution_id, readPlan(golden.plan));
  return eventsOf(golden).reduce<State>(evolve, empty);
}

export const stateHash = (golden: GoldenExecution): string => hashState(stateOf(golden));

const NO_PLACE = {
  name: '',
  at: 0,
  step: undefined,
  step_run_id: undefined,
  iteration_id: undefined,
  task_run_id: undefined,
  task_label: undefined,
  attempt: undefined,
  fence: undefined,
  data: undefined,
};

export async function importGolden(log: GoldenLog, store: Store, blobs: BlobStore): Promise<void> {
  for (const { reference, text } of log.blobs) await blobs.putBytes(Buffer.from(text), reference);
  for (const execution of log.executions) {
    const { row } = execution;
    const plan = { hash: row.plan_hash, plan: readPlan(execution.plan) };
    const first = { execution_id: row.execution_id, expected: 0, events: eventsOf(execution), row, plan };
    const refused = await store.append([first]);
    if (refused.length > 0) throw new Error(`the store has ${row.execution_id} already`);
  }
}

/** Every reference in a value. */
export function referencesIn(value: Json, isReference: (value: unknown) => value is Reference): Reference[] {
  if (isReference(value)) return [value];
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, isReference));
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as JsonObject).flatMap((item) => referencesIn(item, isReference));
}
