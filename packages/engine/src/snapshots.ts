/**
 * Snapshots save time on resumption, nothing else.
 * One is captured together with the frame that it includes, and saved when that frame is durable.
 */
import { encodeStored, isEnded, toSnapshot } from '@woof/net';
import type { Snapshot } from '@woof/stores';
import type { LiveExecution } from './live-execution.ts';

const EVENTS_BETWEEN = 50_000;

export function snapshotDue(execution: LiveExecution): Snapshot | undefined {
  if (execution.eventsSinceSnapshot < execution.snapshotAfter || isEnded(execution.state)) return undefined;
  execution.eventsSinceSnapshot = 0;
  const state = textOf(execution);
  if (state === undefined) return undefined;
  // A large state is written less often: while it is, nobody else has a turn.
  execution.snapshotAfter = Math.max(EVENTS_BETWEEN, state.length / 20);
  return { seq: execution.state.seq, state };
}

/** Undefined: it would be longer than any text may be. */
function textOf({ state }: LiveExecution): string | undefined {
  try {
    return encodeStored(toSnapshot(state));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
