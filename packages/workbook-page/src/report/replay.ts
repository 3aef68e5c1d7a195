/**
 * A run at any of its moments: the same events, folded by the same `evolve` as the engine's.
 *
 * Snapshots on the way keep a step back as cheap as a step forward, whatever the length of the log.
 */
import {
  decodeJson,
  type Event,
  emptyState,
  encodeJson,
  evolve,
  fromSnapshot,
  type Plan,
  type State,
  toSnapshot,
} from '@woof/net';

export interface Replay {
  length: number;
  /** The state after the first `seq` events. It belongs to the replay: read it before the next call. */
  at(seq: number): State;
}

const SNAPSHOTS = 40;
const LEAST_BETWEEN = 500;

export function createReplay(executionId: string, plan: Plan, events: readonly Event[]): Replay {
  const between = Math.max(LEAST_BETWEEN, Math.ceil(events.length / SNAPSHOTS));
  /** As text: a fold changes what it is given. */
  const snapshots = new Map<number, string>();
  let state = emptyState(executionId, plan);

  const nearest = (seq: number): State => {
    for (let at = seq - (seq % between); at > 0; at -= between) {
      const text = snapshots.get(at);
      if (text !== undefined) return fromSnapshot(decodeJson(text), plan);
    }
    return emptyState(executionId, plan);
  };

  return {
    length: events.length,
    at(wanted) {
      const seq = Math.min(Math.max(0, Math.trunc(wanted)), events.length);
      const isFar = seq > state.seq + between;
      if (seq < state.seq || isFar) {
        const from = nearest(seq);
        if (seq < state.seq || from.seq > state.seq) state = from;
      }
      while (state.seq < seq) {
        evolve(state, events[state.seq]!);
        if (state.seq % between === 0 && !snapshots.has(state.seq)) {
          snapshots.set(state.seq, encodeJson(toSnapshot(state)));
        }
      }
      return state;
    },
  };
}
