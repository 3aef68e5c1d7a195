/** What the store suite receives, and the values that its tests share. */
import { type Event, newEvent } from '@woof/net';
import type { ExecutionRow, Frame, SharedStore, Store } from '@woof/stores';

export interface StoreFixture {
  store: SharedStore;
  /** Closes the store and opens it again, if that means something. */
  reopen?: () => Promise<SharedStore>;
  /** The same data as seen by another process, if several may use it. */
  another?: () => Promise<SharedStore>;
  /** Messages stay in the process: only one server at a time uses the store. */
  tellsItselfOnly?: true;
  dispose(): Promise<void>;
}

export const row = (id: string, more: Partial<ExecutionRow> = {}): ExecutionRow => ({
  execution_id: id,
  name: 'test',
  kind: 'playbook',
  status: 'running',
  started_at: 1,
  plan_hash: 'h',
  ...more,
});

export const events = (...names: Event['name'][]): Event[] =>
  names.map((name, index) => newEvent(name, index, {}));

export async function framesOf(store: Store, id: string, from?: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of store.read(id, from)) frames.push(frame);
  return frames;
}

/** Creates executions of one event each, in this order. */
export async function begin(store: Store, rows: readonly ExecutionRow[]): Promise<void> {
  const started = events('workflow.started');
  for (const made of rows) {
    await store.append([{ execution_id: made.execution_id, expected: 0, events: started, row: made }]);
  }
}

/** Waits for a condition that becomes true by itself. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}
