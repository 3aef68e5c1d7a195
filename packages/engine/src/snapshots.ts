/** Snapshots save time on resumption, nothing else: taken when replaying the rest would cost more than a blink. */
import { isEnded, toSnapshot } from '@woof/net';
import type { Store } from '@woof/stores';
import type { LiveExecution } from './live-execution.ts';

const EVENTS_BETWEEN = 20_000;

export function maybeSnapshot(store: Store, execution: LiveExecution): void {
  if (execution.eventsSinceSnapshot < execution.snapshotAfter || isEnded(execution.state)) return;
  // Only what is durable may be in a snapshot; a state that is ahead of the log waits for its next frame.
  if (execution.hasUnsaved) return;
  const state = JSON.stringify(toSnapshot(execution.state));
  execution.eventsSinceSnapshot = 0;
  // A large state is written less often, so that snapshots never cost more than the log itself.
  execution.snapshotAfter = Math.max(EVENTS_BETWEEN, state.length / 100);
  store.saveSnapshot(execution.id, { seq: execution.state.seq, state }).catch(() => {
    // The log alone is enough; the next snapshot is tried again.
  });
}
