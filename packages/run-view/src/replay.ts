/**
 * A run at any of its moments: the same events, folded by the engine's own `evolve`.
 *
 * Snapshots in between make a step back as cheap as a step forward, whatever the length of the log.
 */
import {
  decodeStored,
  type Event,
  emptyState,
  encodeStored,
  evolve,
  fromPlain,
  type Plan,
  type State,
  toPlain,
} from '@woof/net';

const MOST_SNAPSHOTS = 40;
const LEAST_BETWEEN = 500;

export class Replay {
  /** As text, because a fold changes its input. */
  readonly #snapshots = new Map<number, string>();
  readonly #id: string;
  readonly #plan: Plan;
  readonly #events: readonly Event[];
  #between = LEAST_BETWEEN;
  #base = 0;
  #state: State;

  /** `events` grows while the replay is in use. */
  constructor(id: string, plan: Plan, events: readonly Event[]) {
    this.#id = id;
    this.#plan = plan;
    this.#events = events;
    this.#state = emptyState(id, plan);
  }

  /** A moment to start from, whose earlier events may be absent. */
  begin(state: State): void {
    this.#base = state.seq;
    this.#remember(state);
  }

  /** The state after the first `seq` events. It belongs to the replay: read it before the next call. */
  at(seq: number): State {
    const from = this.#nearest(seq);
    const { seq: now } = this.#state;
    const isCut = now < this.#base && seq >= this.#base && !(this.#base - 1 in this.#events);
    if (seq < now || isCut || from > now + this.#between) this.#state = this.#restored(from);
    while (this.#state.seq < seq) {
      evolve(this.#state, this.#events[this.#state.seq]!);
      this.#keep();
    }
    return this.#state;
  }

  #nearest(seq: number): number {
    return Math.max(0, ...[...this.#snapshots.keys()].filter((at) => at <= seq));
  }

  #restored(seq: number): State {
    const text = this.#snapshots.get(seq);
    return text === undefined ? emptyState(this.#id, this.#plan) : fromPlain(decodeStored(text), this.#plan);
  }

  #keep(): void {
    const { seq } = this.#state;
    if (seq % this.#between !== 0 || this.#snapshots.has(seq)) return;
    this.#remember(this.#state);
    if (this.#snapshots.size > MOST_SNAPSHOTS) this.#thinOut();
  }

  #remember(state: State): void {
    this.#snapshots.set(state.seq, encodeStored(toPlain(state)));
  }

  #thinOut(): void {
    this.#between *= 2;
    for (const at of this.#snapshots.keys()) {
      if (at % this.#between !== 0 && at !== this.#base) this.#snapshots.delete(at);
    }
  }
}
