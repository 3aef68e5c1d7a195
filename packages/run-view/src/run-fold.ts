/**
 * The log of one run, and all queries of the views.
 *
 * Owns: the events, in their compact form, and which of them are loaded.
 * Does not own: where they come from; see `RunSource`.
 * Invariant: events 1 to `loaded` are here, and so are all after the snapshot that it began from. Moments between the
 * two cannot be shown until `fill` adds their events.
 */
import {
  type Event,
  type ExecutionStatus,
  emptyState,
  eventDetail,
  evolve,
  type Json,
  type Plan,
  type State,
} from '@woof/net';
import { countUpTo } from './count-up-to.ts';
import { momentOf, stepMomentOf } from './moment.ts';
import { Replay } from './replay.ts';
import type {
  EventRow,
  IterationPage,
  IterationQuery,
  Moment,
  Span,
  StepMoment,
  ValueText,
} from './run-source.ts';
import { StepIndex } from './step-index.ts';
import { TimelineFold, timelineOf } from './timeline-fold.ts';
import { type Lookup, valueText } from './value-text.ts';

const LONGEST_SAID = 400;

export interface FoldOptions {
  /** Where to begin: its events arrive later or never. It belongs to the fold. */
  from?: State;
  /** The time of the last of these events, if known. */
  at?: number;
  /** Stored values that are here. */
  lookup?: Lookup;
}

export class RunFold {
  readonly #events: Event[] = [];
  readonly #replay: Replay;
  readonly #live: State;
  readonly #lookup: Lookup | undefined;
  readonly #texts = new WeakMap<object, ValueText>();
  /** Earlier events are represented by the snapshot. */
  readonly #base: number;
  readonly #snapshotAt: number;
  #loaded = 0;
  #index: StepIndex;
  #timeline = new TimelineFold();
  #drawn: number;

  constructor(id: string, plan: Plan, { from, at, lookup }: FoldOptions = {}) {
    this.#live = from ?? emptyState(id, plan);
    this.#base = this.#live.seq;
    this.#events.length = this.#base;
    this.#replay = new Replay(id, plan, this.#events);
    if (from) this.#replay.begin(from);
    this.#lookup = lookup;
    this.#snapshotAt = at ?? this.#live.ended_at ?? this.#live.started_at;
    this.#drawn = this.#base;
    this.#index = new StepIndex(this.#events, this.#base);
  }

  get length(): number {
    return this.#events.length;
  }

  /** How many events, from the first, are here. */
  get loaded(): number {
    return this.#loaded < this.#base ? this.#loaded : this.length;
  }

  /** At the end of the log. It belongs to the fold: read it before the next event. */
  get state(): State {
    return this.#live;
  }

  get status(): ExecutionStatus {
    return this.#live.status;
  }

  get startedAt(): number {
    return this.#live.started_at;
  }

  get lastAt(): number {
    return this.#events.at(-1)?.at ?? this.#snapshotAt;
  }

  /** Adds events after all that are loaded. */
  append(events: Iterable<Event>): void {
    for (const event of events) {
      this.#events.push(event);
      evolve(this.#live, event);
    }
  }

  /** Adds events before the snapshot: the next ones after `loaded`. */
  fill(events: Iterable<Event>): void {
    for (const event of events) {
      if (this.#loaded >= this.#base) return;
      this.#events[this.#loaded++] = event;
      if (this.#loaded === this.#base) this.#beginAgain();
    }
  }

  at(seq: number): Moment {
    const state = this.#stateAt(seq);
    return momentOf(state, this.#timeAt(state.seq), this.#events[state.seq - 1], (value) =>
      this.#text(value),
    );
  }

  step(seq: number, step: string): StepMoment {
    const state = this.#stateAt(seq);
    const log = this.#index.window(step, state.seq);
    return stepMomentOf(state, step, timelineOf(log), log, (value) => this.#text(value));
  }

  events(from: number, to: number): EventRow[] {
    const rows: EventRow[] = [];
    for (let seq = Math.max(1, from); seq < Math.min(to, this.length + 1); seq++) {
      const event = this.#events[seq - 1];
      if (event !== undefined) rows.push(eventRow(event, seq));
    }
    return rows;
  }

  seqAt(time: number): number {
    const first = this.loaded < this.length ? this.#base : 0;
    return first + countUpTo(this.length - first, (i) => this.#events[first + i]!.at <= time);
  }

  timeline(): Span[] {
    for (; this.#drawn < this.length; this.#drawn++) this.#timeline.add(this.#events[this.#drawn]!);
    return this.#timeline.spans();
  }

  iterations(step: string, query: IterationQuery): IterationPage {
    return this.#index.iterations(step, query);
  }

  #stateAt(wanted: number): State {
    const seq = Math.min(Math.max(0, Math.trunc(wanted)), this.length);
    if (seq === this.length) return this.#live;
    if (seq > this.#loaded && seq < this.#base)
      throw new RangeError(`event ${seq} is not loaded; ${this.#loaded} of ${this.length} are`);
    return this.#replay.at(seq);
  }

  #timeAt(seq: number): number {
    if (seq === this.length) return this.lastAt;
    return this.#events[Math.max(0, seq - 1)]?.at ?? this.startedAt;
  }

  /** Values are replaced and never changed, so each becomes text once. */
  #text(value: Json): ValueText {
    if (value === null || typeof value !== 'object') return valueText(value);
    const known = this.#texts.get(value) ?? valueText(value, this.#lookup);
    this.#texts.set(value, known);
    return known;
  }

  #beginAgain(): void {
    this.#index = new StepIndex(this.#events, 0);
    this.#timeline = new TimelineFold();
    this.#drawn = 0;
  }
}

export function eventRow(event: Event, seq: number): EventRow {
  const { at, name, step } = event;
  const where = event.task_run_id ?? event.iteration_id ?? event.step_run_id ?? step ?? '';
  const said = eventDetail(event).slice(0, LONGEST_SAID);
  return { seq, at, name, where, step, said };
}
