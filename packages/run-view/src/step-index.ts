/** Which events belong to which step, and what they say about its iterations. It reads each event once. */
import type { Event, EventOf } from '@woof/net';
import { countUpTo } from './count-up-to.ts';
import type { IterationPage, IterationQuery } from './run-source.ts';

type Iteration = IterationPage['rows'][number];

/** How many events are read for the attempts of a step. */
const WINDOW = 2000;

export class StepIndex {
  readonly #events: readonly Event[];
  readonly #seqs = new Map<string, number[]>();
  readonly #iterations = new Map<string, Map<string, Iteration>>();
  #next: number;

  /** From the event at index `from`; what comes before it is not here. */
  constructor(events: readonly Event[], from: number) {
    this.#events = events;
    this.#next = from;
  }

  /** The last events of a step among the first `seq` of the run. */
  window(step: string, seq: number): Event[] {
    this.#read();
    const seqs = this.#seqs.get(step) ?? [];
    const end = countUpTo(seqs.length, (i) => seqs[i]! <= seq);
    return seqs.slice(Math.max(0, end - WINDOW), end).map((at) => this.#events[at - 1]!);
  }

  iterations(step: string, { seq, status, from, count }: IterationQuery): IterationPage {
    this.#read();
    const all = this.#iterationsAt(step, seq);
    const found = status === undefined ? all : all.filter((row) => row.status === status);
    return { total: found.length, rows: found.slice(from, from + count) };
  }

  /** For an earlier moment, they are read from the step's events up to there. */
  #iterationsAt(step: string, seq: number): Iteration[] {
    if (seq >= this.#events.length) return [...(this.#iterations.get(step)?.values() ?? [])];
    const rows = new Map<string, Iteration>();
    for (const at of this.#seqs.get(step) ?? []) {
      if (at > seq) break;
      const event = this.#events[at - 1]!;
      if (isOfIteration(event)) noteIteration(rows, event);
    }
    return [...rows.values()];
  }

  #read(): void {
    for (; this.#next < this.#events.length; this.#next++)
      this.#note(this.#events[this.#next]!, this.#next + 1);
  }

  #note(event: Event, seq: number): void {
    if (event.step === undefined) return;
    const seqs = this.#seqs.get(event.step);
    if (seqs) seqs.push(seq);
    else this.#seqs.set(event.step, [seq]);
    if (!isOfIteration(event)) return;
    const rows = this.#iterations.get(event.step) ?? new Map<string, Iteration>();
    this.#iterations.set(event.step, rows);
    noteIteration(rows, event);
  }
}

type OfIteration = EventOf<'loop.iteration.started' | 'loop.iteration.done' | 'loop.iteration.failed'>;

const isOfIteration = (event: Event): event is OfIteration => event.name.startsWith('loop.iteration.');

function noteIteration(rows: Map<string, Iteration>, event: OfIteration): void {
  const { iteration_id: id = '', at } = event;
  const begun: Iteration = { id, index: event.data.index, status: 'running', start: at };
  if (event.name === 'loop.iteration.started') {
    rows.set(id, begun);
    return;
  }
  rows.set(id, {
    ...(rows.get(id) ?? begun),
    status: event.name === 'loop.iteration.done' ? 'succeeded' : 'failed',
    end: at,
    error: event.name === 'loop.iteration.failed' ? event.data.error.message : undefined,
  });
}
