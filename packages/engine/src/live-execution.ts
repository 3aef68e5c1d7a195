/**
 * One execution that this process drives: its state, and the events that are not durable yet.
 *
 * Owns: its phase, what goes into its next frame, and what its events mean besides the state. Does not own: who may
 * decide on it (decisions.ts), when its frame is written (group-commit.ts), who moves it to which phase (below).
 * Invariant: only a live execution is in the engine's map. Whoever asks for one that left the map gets another object.
 */
import { type Event, isEnded, type Parent, type Plan, type State } from '@woof/net';
import type { Append, ExecutionRow, Inputs } from '@woof/stores';
import { lineageOf } from './lineage.ts';
import { Sight } from './sight.ts';

export interface Held {
  fence: number;
  /** How much of the log led to what the job does next; Infinity: not known, so that it waits for everything. */
  ledBy: number;
}

/**
 * Its phase in this process. While it is being loaded (sharing/) there is no object, and a phase never returns to live:
 *
 *     live ─▶ resting   it only waits, and its row says until when (sharing/shared.ts)
 *          ─▶ ended     the log has its end, or it was given up (after-commit.ts, failures.ts)
 *          ─▶ lost      what was decided last is not in the log, and never will be (failures.ts)
 *
 * `lost` is final. A resting or ended execution may still turn out to be lost if another server has written to it.
 */
export type Phase =
  | { readonly is: 'live' | 'resting' | 'ended' }
  /** `by`: the fault of the store; undefined if another server was faster. */
  | { readonly is: 'lost'; readonly by: unknown };

const LIVE: Phase = { is: 'live' };
const RESTING: Phase = { is: 'resting' };
const ENDED: Phase = { is: 'ended' };

/** What its first frame announces. */
interface First {
  row: ExecutionRow;
  plan: { hash: string; plan: Plan };
  inputs: Inputs | undefined;
  parent: Parent | undefined;
}

export class LiveExecution {
  /** Events folded into the state but not yet handed to the store. */
  private unsaved: Event[] = [];
  /** Number of events handed to the store. */
  private taken: number;
  /** Number of events known to be durable. */
  durable: number;
  private row: Partial<ExecutionRow> | undefined;
  private plan: { hash: string; plan: Plan } | undefined;
  private inputs: Inputs | undefined;
  /** The leased jobs. */
  readonly held = new Map<string, Held>();
  /** Executions that jobs of this one wait for. */
  readonly children = new Set<string>();
  /** Loops whose results are being joined into one value. */
  readonly joining = new Set<string>();
  /** What its jobs see of other steps. */
  readonly sight: Sight;
  private current: Phase = LIVE;
  /** True: a turn left consequences for the next one. */
  unsettled = false;
  /** As its row says. */
  status: State['status'];
  /** Whether a step waits for a person, as its row says. */
  private asks: boolean;
  /** Since when it is known to wait for a worker. */
  unplacedSince: number | undefined;
  /** Which workers it wants, as its row says: the text of their needs. */
  offered: string | undefined;
  /** When it must be checked again, as its row says. */
  due: number | null = null;
  /** Executions that its next frame makes due. */
  wakes: string[] | undefined;
  /**
   * The caller must look again when the last taken frame is durable: this execution now asks a person something, or no
   * longer does.
   */
  tellsCaller = false;
  /** As the last taken frame said. */
  private hasAsked: boolean;
  /** True: a question came since. */
  private asksAnew = false;
  /** The run that it belongs to: itself, or the outermost run that called it, directly or indirectly. */
  readonly root: string;
  /** How deeply it is nested in that run. */
  readonly depth: number;
  eventsSinceSnapshot = 0;
  /** Its approximate size in memory when last measured. */
  bytes = 0;
  /** Infinity, so that its size is measured with its first commit. */
  eventsSinceLook = Number.POSITIVE_INFINITY;

  constructor(
    readonly state: State,
    readonly source: Record<string, string>,
    first?: First,
  ) {
    ({ root: this.root, depth: this.depth } = lineageOf(state.execution_id, first?.parent ?? state.parent));
    this.sight = new Sight(state);
    this.taken = state.seq;
    this.durable = state.seq;
    this.status = state.status;
    this.hasAsked = state.status === 'needs_human';
    this.row = first?.row;
    this.plan = first?.plan;
    this.inputs = first?.inputs;
    this.asks = state.humans > 0;
    for (const job of state.jobs.values()) {
      if (job.status === 'leased')
        this.held.set(job.id, { fence: job.fence, ledBy: Number.POSITIVE_INFINITY });
      if (job.child !== null) this.children.add(job.child);
    }
  }

  get id(): string {
    return this.state.execution_id;
  }

  get phase(): Phase {
    return this.current;
  }

  /** The fault by which it was lost; undefined: it is not lost, or can be loaded again at once. */
  get lostBy(): unknown {
    return this.current.is === 'lost' ? this.current.by : undefined;
  }

  rest(): void {
    if (this.current.is === 'live') this.current = RESTING;
  }

  end(): void {
    if (this.current.is !== 'lost') this.current = ENDED;
  }

  /** True: it was not lost before. */
  lose(by: unknown): boolean {
    const isNews = this.current.is !== 'lost';
    this.current = { is: 'lost', by };
    return isNews;
  }

  /** True: nothing in it can continue until a clock, another execution or a person says so. */
  get isIdle(): boolean {
    const { ready, status } = this.state;
    const waits = ready.size === 0 || status !== 'running';
    const isAtWork = this.held.size > 0 || this.joining.size > 0 || this.unsettled;
    return waits && !isAtWork && !isEnded(this.state);
  }

  get hasUnsaved(): boolean {
    return this.unsaved.length > 0 || this.row !== undefined;
  }

  add(events: readonly Event[]): void {
    for (const event of events) this.unsaved.push(event);
  }

  changeRow(change: Partial<ExecutionRow>): void {
    this.row = { ...this.row, ...change };
  }

  /** Notes what newly folded events change besides the state. True: a job may have been taken from its worker. */
  note(events: readonly Event[]): boolean {
    let mayAbort = false;
    for (const event of events) {
      if (event.name === 'execution.needs_human') this.asksAnew = true;
      const meaning = MEANINGS.get(event.name);
      if (meaning === undefined) continue;
      mayAbort ||= meaning.takes === true;
      if (meaning.shows) this.show(event);
      if (event.name === 'job.parked' && event.data?.child !== undefined) this.children.add(event.data.child);
      if (meaning.ends) this.held.delete(event.iteration_id ?? event.step_run_id!);
    }
    if (this.state.status !== this.status) this.changeRow(rowOf(this.state));
    this.status = this.state.status;
    this.noteGates();
    return mayAbort;
  }

  private show(event: Event): void {
    const { step, iteration_id } = event;
    // The end of an inner loop changes nothing that others see.
    if (step === undefined || iteration_id !== undefined) return;
    const adopted = event.name === 'step.adopted' ? event.data.labels : undefined;
    this.sight.changed(step, Object.keys(adopted ?? this.state.steps.get(step)?.tasks ?? {}));
  }

  private noteGates(): void {
    const asks = this.state.humans > 0;
    if (asks !== this.asks) this.changeRow({ asks: asks ? true : null });
    this.asks = asks;
  }

  /** Call before a frame is taken. */
  noteAsking(): void {
    const asks = this.state.status === 'needs_human';
    if (this.asksAnew || asks !== this.hasAsked) this.tellsCaller = true;
    this.hasAsked = asks;
    this.asksAnew = false;
  }

  /** The execution no longer wants a worker of another server. */
  withdraw(): void {
    this.offered = undefined;
    this.changeRow({ wants: null });
  }

  /** Everything since the last call: one frame, or several if there are more events than fit into one. */
  takeFrames(mostEvents: number): Append[] {
    if (!this.hasUnsaved) return [];
    const events = this.unsaved;
    this.unsaved = [];
    const first: Append = { execution_id: this.id, expected: this.taken, events };
    if (this.row) first.row = this.row;
    if (this.plan) first.plan = this.plan;
    if (this.inputs) first.inputs = this.inputs;
    if (this.wakes) first.wakes = this.wakes;
    this.taken += events.length;
    this.eventsSinceSnapshot += events.length;
    this.row = undefined;
    this.plan = undefined;
    this.inputs = undefined;
    this.wakes = undefined;
    return events.length <= mostEvents ? [first] : split(first, mostEvents);
  }
}

function split({ execution_id, expected, events, ...about }: Append, mostEvents: number): Append[] {
  const frames: Append[] = [];
  for (let from = 0; from < events.length; from += mostEvents)
    frames.push({
      execution_id,
      expected: expected + from,
      events: events.slice(from, from + mostEvents),
    });
  // A row says no more than the log, so it goes with the last frame, unless it announces the execution.
  Object.assign(expected === 0 ? frames[0]! : frames.at(-1)!, about);
  return frames;
}

interface Meaning {
  /** A worker may lose its job. */
  takes?: true;
  /** Jobs that are leased from then on see another result of its step. */
  shows?: true;
  /** The job that it names is no longer held. */
  ends?: true;
}

/** Events that mean something besides the state. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<Event['name'], Meaning>([
  ['workflow.finished', { takes: true }],
  ['execution.paused', { takes: true }],
  ['step.adopted', { shows: true }],
  ['step.done', { shows: true, ends: true }],
  ['step.failed', { takes: true, shows: true }],
  ['step.cancelled', { takes: true }],
  ['loop.done', { shows: true }],
  ['loop.iteration.done', { ends: true }],
  ['loop.iteration.failed', { takes: true }],
  ['job.parked', { ends: true }],
  ['job.released', { takes: true }],
  ['job.expired', { takes: true }],
]);

function rowOf(state: State): Partial<ExecutionRow> {
  const row: Partial<ExecutionRow> = { status: state.status };
  if (state.ended_at !== undefined) row.ended_at = state.ended_at;
  if (state.error) row.error = state.error.message;
  return row;
}
