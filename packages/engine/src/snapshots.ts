/**
 * Snapshots only save time when an execution is resumed.
 * A snapshot is captured together with the frame that it includes, and saved when that frame is durable.
 */
import { encodeStored, isEnded, toSnapshot } from '@woof/net';
import type { Snapshot } from '@woof/stores';
import type { LiveExecution } from './live-execution.ts';

const EVENTS_BETWEEN = 50_000;
/** A large state is written less often: encoding it takes 20 ms for 10,000 jobs, during which nothing else runs. */
const BYTES_PER_EVENT = 5;

export function snapshotDue(execution: LiveExecution): Snapshot | undefined {
  const between = Math.max(EVENTS_BETWEEN, execution.bytes / BYTES_PER_EVENT);
  if (execution.eventsSinceSnapshot < between || isEnded(execution.state)) return undefined;
  execution.eventsSinceSnapshot = 0;
  const state = textOf(execution);
  return state === undefined ? undefined : { seq: execution.state.seq, state };
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
