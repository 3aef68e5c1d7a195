/**
 * One run of a server as it happens: its snapshot at once, then every event after it, and the events before it when
 * somebody looks back.
 *
 * Owns: which events are asked for, and when. Does not own: what they mean (`RunFold`), where it runs (a worker).
 * Invariant: the fold takes each event once and in order, however often the connection is lost.
 */
import { followEvents } from '@woof/client/follow';
import type { Client } from '@woof/client/http';
import { Reach } from '@woof/client/reach';
import { drawPlan } from '@woof/documents/drawing';
import type { Drawing } from '@woof/documents/graph';
import {
  type Envelope,
  explain,
  fromEnvelope,
  fromSnapshot,
  type JsonObject,
  type Plan,
  questionsOf,
  readPlan,
} from '@woof/net';
import {
  type EventRow,
  eventRow,
  type Head,
  type IterationPage,
  type IterationQuery,
  type Moment,
  RunFold,
  type Span,
  type StepMoment,
} from '@woof/run-view/fold';
import type { RunNow } from './run-now.ts';

/** The most events that the server returns for one call. */
const PAGE = 10_000;
/** More often than this, nobody sees a difference. */
const BETWEEN_HEADS_MS = 30;
const MOST_REASONS = 100;

export interface FeedListener {
  head(head: Head): void;
  /** The server does not answer, and why; undefined when it is back. */
  away(why: string | undefined): void;
}

export class RunFeed {
  #fold!: RunFold;
  #plan!: Plan;
  /** How many events the snapshot represents. */
  #base = 0;
  readonly #reach: Reach;
  readonly #ends = new AbortController();
  #filled: Promise<void> | undefined;
  #connection: Head['connection'] = 'live';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #toldAt = 0;
  /** Aborted while nobody looks at the page. */
  #unseen = new AbortController();
  #isSeen = () => {};

  constructor(
    private readonly client: Client,
    private readonly id: string,
    private readonly listener: FeedListener,
    /** A log up to this length is read completely in advance, because it takes one call. */
    private readonly short = PAGE,
  ) {
    this.#reach = new Reach(client.url, {
      signal: this.#ends.signal,
      onAway: (why) => this.#say('away', why),
      onBack: () => this.#say('live', undefined),
    });
  }

  /** Rejects if the server refuses, or has a log that this version cannot read. */
  async open(): Promise<Plan> {
    const params = { id: this.id };
    const { state } = await this.#reach.insist(() => this.client.call('executions.state', { params }));
    const hash = String((state as JsonObject).plan_hash);
    const stored = await this.#reach.insist(() => this.client.call('plans.get', { params: { hash } }));
    const plan = readPlan(stored);
    this.#plan = plan;
    this.#fold = new RunFold(this.id, plan, { from: fromSnapshot(state, plan) });
    this.#base = this.#fold.length;
    // If the run cannot be shown, this fails here and not in a view.
    this.#fold.at(this.#fold.length);
    return plan;
  }

  /** Resolves when the run has ended and all of it is here. */
  async follow(): Promise<void> {
    if (this.#fold.length <= this.short) this.#fill().catch(() => {});
    while (!(await this.#followWhileSeen())) await this.#untilSeen();
    if (!this.#ends.signal.aborted) this.#say('over', undefined);
  }

  /**
   * Whether somebody looks at the page. A browser opens only six connections to a server for all its tabs, so the feed
   * of an unseen page holds none, and catches up when the page is seen again.
   */
  see(isSeen: boolean): void {
    if (!isSeen) this.#unseen.abort();
    else if (this.#unseen.signal.aborted) {
      this.#unseen = new AbortController();
      this.#isSeen();
    }
  }

  close(): void {
    this.#ends.abort();
    this.#isSeen();
    clearTimeout(this.#timer);
  }

  get head(): Head {
    const { length, loaded, startedAt, lastAt, status } = this.#fold;
    return { length, loaded, started_at: startedAt, last_at: lastAt, status, connection: this.#connection };
  }

  async drawing(): Promise<Drawing> {
    return drawPlan(this.#plan);
  }

  async now(): Promise<RunNow> {
    const { state, length } = this.#fold;
    const reasons = length === 0 ? [] : explain(state).slice(0, MOST_REASONS);
    return { ...this.#fold.at(length), reasons, questions: questionsOf(state) };
  }

  async at(seq: number): Promise<Moment> {
    await this.#until(seq);
    return this.#fold.at(seq);
  }

  /** Answers at once. Attempts before the snapshot are included once their events are loaded: see `head.loaded`. */
  async step(seq: number, step: string): Promise<StepMoment> {
    await this.#until(seq);
    if (this.#fold.loaded < this.#fold.length) this.#fill().catch(() => {});
    return this.#fold.step(seq, step);
  }

  /** Rows that the fold lacks are read from the server, so that a list can be scrolled before all is here. */
  async events(from: number, to: number): Promise<EventRow[]> {
    const first = Math.max(1, from);
    const last = Math.min(to, this.#fold.length + 1);
    const here = this.#fold.events(first, last);
    if (here.length === Math.max(0, last - first)) return here;
    const rows: EventRow[] = [];
    while (rows.length < last - first) {
      const page = await this.#page(first - 1 + rows.length, last - first - rows.length);
      if (page.length === 0) break;
      for (const envelope of page) rows.push(eventRow(fromEnvelope(envelope), envelope.seq));
    }
    return rows;
  }

  async seqAt(time: number): Promise<number> {
    await this.#fill();
    return this.#fold.seqAt(time);
  }

  async timeline(): Promise<Span[]> {
    await this.#fill();
    return this.#fold.timeline();
  }

  async iterations(step: string, query: IterationQuery): Promise<IterationPage> {
    await this.#fill();
    return this.#fold.iterations(step, query);
  }

  /** Returns false if it stopped because nobody looks. */
  async #followWhileSeen(): Promise<boolean> {
    const unseen = this.#unseen.signal;
    const signal = AbortSignal.any([this.#ends.signal, unseen]);
    const options = { from: this.#fold.length, signal, reach: this.#reach };
    for await (const envelope of followEvents(this.client, this.id, options)) this.#take(envelope);
    return this.#ends.signal.aborted || !unseen.aborted;
  }

  #untilSeen(): Promise<void> | undefined {
    if (!this.#unseen.signal.aborted || this.#ends.signal.aborted) return undefined;
    return new Promise((resolve) => {
      this.#isSeen = resolve;
    });
  }

  #take(envelope: Envelope): void {
    const next = this.#fold.length + 1;
    if (envelope.seq < next) return;
    if (envelope.seq > next) throw new Error(`the server sent event ${envelope.seq} instead of ${next}`);
    this.#fold.append([fromEnvelope(envelope)]);
    this.#changed();
  }

  /** Resolves when the moment after `seq` events can be shown. */
  async #until(seq: number): Promise<void> {
    if (seq > this.#fold.loaded && seq < this.#base) await this.#fill();
  }

  /** Loads the events before the snapshot, once. A failure is reported, and the next call tries again. */
  #fill(): Promise<void> {
    this.#filled ??= this.#fillAll().catch((error: unknown) => {
      this.#filled = undefined;
      throw error;
    });
    return this.#filled;
  }

  async #fillAll(): Promise<void> {
    const fold = this.#fold;
    while (fold.loaded < fold.length) {
      const page = await this.#reach.insist(() => this.#page(fold.loaded, PAGE));
      if (page.length === 0) throw new Error(`the server has only ${fold.loaded} of ${fold.length} events`);
      fold.fill(page.map(fromEnvelope));
      this.#changed();
    }
  }

  async #page(from: number, limit: number): Promise<Envelope[]> {
    const query = { from, limit: Math.min(limit, PAGE) };
    const { signal } = this.#ends;
    const { events } = await this.client.call('executions.events', {
      params: { id: this.id },
      query,
      signal,
    });
    return events;
  }

  #say(connection: Head['connection'], why: string | undefined): void {
    this.#connection = connection;
    this.listener.away(why);
    this.#changed();
  }

  #changed(): void {
    if (this.#fold === undefined || this.#timer !== undefined || this.#ends.signal.aborted) return;
    const wait = Math.max(0, this.#toldAt + BETWEEN_HEADS_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#toldAt = Date.now();
      this.listener.head(this.head);
    }, wait);
  }
}
