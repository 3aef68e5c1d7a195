/**
 * The engine: command → turn of the net → one frame → durable → dispatch.
 *
 * Owns: the executions that this process drives, and how each is decided on. Does not own: when things become durable
 * (group-commit.ts), which worker gets a job (dispatch.ts), what workers say of theirs (local-port.ts, leases.ts), what is
 * parked (parking.ts), children (family.ts), what is tried again (retries.ts), rules (net), tools (worker), documents.
 * Invariants:
 * - An effect starts only when all that led to it is durable. What only computes may run ahead of the disk.
 * - What the log did not take is forgotten: the execution is read again, and what was asked is decided anew.
 * - When the store fails for good, nothing more is decided: what was acknowledged stands in the log.
 *
 * With a `driver` the engine shares its store with others: it takes executions over, lets idle ones go from memory, and
 * writes down when they are due. Without one it is alone.
 */
import {
  type Assignment,
  type ChildRequest,
  type Command,
  type Env,
  type Event,
  isEnded,
  type Json,
  type JsonObject,
  NO_LONGER_WANTED,
  outstanding,
  type Reference,
  type Refusal,
  type State,
  type Turn,
  turn,
} from '@woof/net';
import { isLocalDriver, StoreError, Values } from '@woof/stores';
import { abandon, endAlone } from './abandon.ts';
import { assign } from './assign.ts';
import { Bounds } from './bounds.ts';
import { Deferred } from './deferred.ts';
import { Dispatch } from './dispatch.ts';
import type { EngineOptions, StartRequest } from './engine-options.ts';
import { FairTicks } from './fair-ticks.ts';
import { Family } from './family.ts';
import { GroupCommit } from './group-commit.ts';
import { newExecutionId } from './ids.ts';
import { KeptDocuments } from './kept-documents.ts';
import { Leases } from './leases.ts';
import { LiveExecution } from './live-execution.ts';
import { LocalPort, reportOf } from './local-port.ts';
import { LoopResults } from './loop-results.ts';
import { newExecution } from './new-execution.ts';
import { Parking } from './parking.ts';
import { loadState, type OnEvent, sourceOf, TooLargeToLoad } from './replay.ts';
import { NotAtHand, Retries } from './retries.ts';
import { takeLeft } from './take-left.ts';
import { Timers } from './timers.ts';

export class Engine {
  private readonly live = new Map<string, LiveExecution>();
  private readonly loading = new Map<string, Promise<LiveExecution | undefined>>();
  private readonly ends = new Map<string, Deferred<State>>();
  private readonly ticks = new FairTicks();
  private readonly timers: Timers;
  private readonly values: Values;
  private readonly now: () => number;
  private readonly env: Env;
  private readonly commit: GroupCommit;
  private readonly dispatch: Dispatch;
  private readonly retries: Retries;
  private readonly family: Family;
  private readonly parking: Parking;
  private readonly loopResults: LoopResults;
  private readonly bounds: Bounds;
  private readonly documents: KeptDocuments;
  /** What workers of other processes hold. */
  readonly leases: Leases;
  private closing = false;
  private fault: unknown;

  constructor(private readonly options: EngineOptions) {
    this.now = options.now ?? Date.now;
    this.timers = new Timers(this.now);
    this.documents = new KeptDocuments(options.blobs);
    this.bounds = new Bounds(options.limits, this.live);
    this.values = new Values(options.blobs, {
      inlineMaxBytes: options.inlineMaxBytes,
      valueBytes: this.bounds.limits.value_bytes,
    });
    const host = this.values.host(this.now);
    // What a decision stores is in the store before its events are.
    const deciding = { ...host, store: (value: unknown) => this.values.putAway(value as Json) };
    this.env = { now: 0, host: deciding, ...this.values.access, limits: this.bounds.current };
    this.retries = new Retries({
      options,
      timers: this.timers,
      values: this.values,
      now: this.now,
      isClosing: () => this.closing,
      drive: (id) => this.drive(id),
      giveUp: (id, error) => this.giveUp(id, error),
    });
    this.loopResults = new LoopResults({
      blobs: options.blobs,
      isShared: options.driver !== undefined,
      retries: this.retries,
      fail: (error) => this.commit.fail(error),
      command: (id, command) => this.command(id, command),
    });
    this.family = new Family({
      options,
      limits: this.bounds.limits,
      live: this.live,
      retries: this.retries,
      ticks: this.ticks,
      start: (request) => this.start(request),
      adopt: (id) => this.adopt(id),
      load: (id) => this.loaded(id),
      command: (id, command) => this.command(id, command),
      guarded: (execution, command) => this.guarded(execution, command),
    });
    this.parking = new Parking({
      isShared: options.driver !== undefined,
      live: this.live,
      timers: this.timers,
      now: this.now,
      turn: (execution, command) => void this.turn(execution, command),
      wake: (id, jobId) => this.family.wake(id, jobId),
      driveSurely: (id) => this.driveSurely(id),
      letGo: (execution) => this.letGo(execution),
      isAwaited: (id) => this.ends.has(id),
    });
    this.leases = new Leases({
      options,
      live: this.live,
      stored: (id) => this.storedState(id),
      decide: (id, decision) => this.decide(id, decision),
      turn: (execution, command) => this.turn(execution, command),
      guarded: (execution, command) => this.guarded(execution, command),
    });
    const port = new LocalPort({
      host,
      live: this.live,
      values: this.values,
      hasFailed: () => this.fault !== undefined,
      turn: (execution, command) => this.turn(execution, command),
      saved: () => this.commit.saved(),
      child: (assignment, request) => this.child(assignment, request),
      cancelChild: (id, reason) => this.cancelChild(id, reason),
    });
    this.dispatch = new Dispatch({
      executor: options.executor,
      lease: (execution, jobId, worker) => this.lease(execution, jobId, worker),
      start: (assignment, worker) => options.executor.execute(assignment, worker, port),
      isAlone: () => this.live.size <= 1,
      leftOver: () => options.onLeftOver?.(),
    });
    this.commit = new GroupCommit({
      store: options.store,
      values: this.values,
      frameEvents: this.bounds.limits.frame_events,
      before: () => !this.closing && this.dispatch.leaseAll() && !this.dispatch.hasLeased,
      // A guess: one may be the very job that waits for this commit.
      othersRun: () => (options.executor.busy ?? 0) > 1,
      complete: (execution) => {
        execution.noteAsking();
        this.parking.noteDue(execution);
      },
      appended: (execution, events) => this.appended(execution, events),
      lost: (execution, error) => this.lose(execution, error),
      after: () => this.committed(),
      isPassing: (error) => this.isPassing(error),
      failed: (error) => this.failed(error),
      measured: options.onCommit,
    });
  }

  /** Durable when it resolves. An execution of that id that exists is left as it is. */
  async start(request: StartRequest): Promise<string> {
    const id = request.executionId ?? newExecutionId(this.now());
    const source = this.documents.named(request);
    for (let isStarted = false; !isStarted; ) isStarted = await this.tryStart(id, { ...request, source });
    // Whoever calls a nested run waits for it, and must hear of it before the caller can end.
    if (request.more?.parent === undefined) await this.documents.stored(source.document);
    return id;
  }

  private async tryStart(id: string, request: StartRequest): Promise<boolean> {
    const execution = this.live.get(id) ?? (await this.attempt(() => this.begin(id, request)));
    if (execution === undefined) return false;
    if (await this.isSaved(execution)) return true;
    // The store may have taken it without being able to say so.
    if (await this.options.store.execution(id)) return true;
    if (execution.lostBy !== undefined) throw execution.lostBy;
    return false;
  }

  private begin(id: string, request: StartRequest): LiveExecution {
    const { execution, command } = newExecution(id, request, this.now(), this.options);
    this.live.set(id, execution);
    this.turn(execution, command);
    return execution;
  }

  /** Throws where a stored value is larger than anybody may read here. */
  checkLoadable(reference: Reference): void {
    this.values.check(reference);
  }

  /** Takes over an execution whose process ended: what it had leased is expired and given out again. */
  async adopt(executionId: string): Promise<State | undefined> {
    const known = this.live.get(executionId);
    if (known) return known.state;
    const state = await this.loaded(executionId);
    if (state !== undefined && isEnded(state)) await this.family.cancelOrphans(executionId);
    if (state === undefined || isEnded(state)) return state;
    const execution = new LiveExecution(state, await sourceOf(this.options.store, executionId));
    this.live.set(executionId, execution);
    for (const job of [...state.jobs.values()]) {
      if (job.status !== 'leased') continue;
      const reason = 'the process that ran the job ended';
      this.turn(execution, { type: 'ExpireJob', job_id: job.id, fence: job.fence, reason });
    }
    if (state.status === 'paused') this.turn(execution, { type: 'ResumeExecution' });
    this.parking.look(execution);
    for (const { child } of outstanding(state).children) await this.adopt(child);
    this.parking.watchAll(execution);
    this.loopResults.joinAll(execution);
    this.offer(execution);
    if (state.parent) await this.family.endWithCaller(executionId, state.parent.execution_id);
    await this.commit.saved();
    return state;
  }

  /** What could bring this process down is ended instead. */
  private async loaded(executionId: string): Promise<State | undefined> {
    try {
      return await this.storedState(executionId);
    } catch (error) {
      if (!(error instanceof TooLargeToLoad)) throw error;
      this.options.onFault?.(executionId, error);
      return this.giveUp(executionId, error);
    }
  }

  /** Resolves with the state when it has ended or waits for a person; rejects when the store fails. */
  finished(executionId: string): Promise<State> {
    const execution = this.live.get(executionId);
    if (execution === undefined)
      return Promise.reject(new Error(`this process does not drive run ${executionId}`));
    if (this.family.isAsking(execution)) return this.commit.saved().then(() => execution.state);
    let end = this.ends.get(executionId);
    if (end === undefined) {
      end = new Deferred<State>();
      this.ends.set(executionId, end);
    }
    return end.promise;
  }

  /** Durable when it resolves; gives the refusal where there is one. */
  async command(executionId: string, command: Command): Promise<Refusal | undefined> {
    const { refusal } = await this.decide(executionId, (execution) => this.turn(execution, command));
    return refusal;
  }

  stateOf(executionId: string): State | undefined {
    return this.live.get(executionId)?.state;
  }

  /** As the store has it; only its end where all of it could bring the process down, else it rejects with TooLargeToLoad. */
  async storedState(executionId: string): Promise<State | undefined> {
    const { store } = this.options;
    try {
      return await loadState(store, executionId, { limits: this.bounds.limits });
    } catch (error) {
      const end = error instanceof TooLargeToLoad ? await endAlone(store, executionId) : undefined;
      if (end === undefined) throw error;
      return end;
    }
  }

  /** Folds the stored log from its first event on, whatever snapshots there are. */
  replay(executionId: string, onEvent: OnEvent): Promise<State | undefined> {
    const { limits } = this.bounds;
    return loadState(this.options.store, executionId, { snapshot: false, limits, onEvent });
  }

  /** Gives out no further job and waits for what is under way; timers end. */
  async close(): Promise<void> {
    this.closing = true;
    this.timers.clear();
    this.parking.clear();
    await this.commit.idle();
    await this.documents.idle();
  }

  /** What the stopped worker of this process was at is given back: whoever goes on with it has lost nothing. */
  async handBack(reason: string): Promise<void> {
    for (const execution of [...this.live.values()]) {
      for (const [job_id, { fence }] of [...execution.held])
        this.guarded(
          execution,
          reportOf({ execution_id: execution.id, job_id, fence }, [{ type: 'released', reason }]),
        );
    }
    await this.commit.idle();
  }

  // What several servers need of it.

  /** Takes an execution over where it is another's, and looks what it waits for. */
  async drive(executionId: string): Promise<void> {
    let seen: LiveExecution | undefined;
    await this.decide(executionId, (execution) => {
      seen = execution;
      this.parking.look(execution);
      return {};
    });
    if (seen) await this.family.look(seen);
  }

  /** The same, made again until it comes through: what became this server's must not be forgotten. */
  async driveSurely(executionId: string): Promise<void> {
    try {
      await this.drive(executionId);
    } catch (error) {
      this.retries.again(executionId, error);
    }
  }

  /** Another server wrote to it: what is here is old. */
  taken(executionId: string, seq: number): void {
    const execution = this.live.get(executionId);
    if (execution && execution.durable < seq) this.forget(execution);
  }

  /** Everything that waits for a worker here. */
  waiting(): Iterable<LiveExecution> {
    return this.dispatch.waiting();
  }

  /** Says in the store which workers an execution wants. Resolves when that is in the store, or lost. */
  want(execution: LiveExecution, wants: JsonObject): Promise<void> {
    execution.changeRow({ wants });
    this.commit.add(execution, []);
    return this.commit.saved();
  }

  /** Why it decides nothing more. */
  get failure(): unknown {
    return this.fault;
  }

  /** The last thing that the store did not take, and when; undefined since it took one. */
  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.retries.lastUnwritten;
  }

  /** All executions together hold more than they may: none should be started. */
  get isFull(): boolean {
    return this.bounds.isFull;
  }

  get counts(): { live: number; parked: number } {
    return { live: this.live.size, parked: this.parking.size };
  }

  // Nested playbooks.

  child(assignment: Pick<Assignment, 'execution_id' | 'job_id' | 'granted'>, request: ChildRequest) {
    return this.family.child(assignment, request);
  }

  async cancelChild(executionId: string, reason: string): Promise<void> {
    await this.command(executionId, { type: 'CancelExecution', reason });
  }

  // Decisions.

  /** Decides until the log has taken it. What was decided on a state that another server changed is decided again. */
  private async decide<T extends { refusal?: Refusal }>(
    executionId: string,
    decision: (execution: LiveExecution) => T,
  ): Promise<T | { refusal: Refusal }> {
    for (;;) {
      const execution = this.live.get(executionId) ?? (await this.load(executionId));
      if (execution === undefined) return { refusal: 'execution_ended' };
      const result = await this.attempt(() => decision(execution));
      if (result === undefined) continue;
      // A refusal too may rest on what is not durable yet, or on what another server has changed since.
      if ((await this.isSaved(execution)) && (!result.refusal || (await this.isCurrent(execution)))) {
        this.parking.rest(execution);
        return result;
      }
      if (execution.lostBy !== undefined) throw execution.lostBy;
    }
  }

  /** Undefined: a value lay elsewhere; now it is here, and the execution must be read again. */
  private async attempt<T>(decision: () => T): Promise<T | undefined> {
    try {
      return decision();
    } catch (error) {
      if (!(error instanceof NotAtHand)) throw error;
      await this.values.bring(error.references);
      return undefined;
    }
  }

  private async isCurrent(execution: LiveExecution): Promise<boolean> {
    if (this.options.driver === undefined) return true;
    for await (const _ of this.options.store.read(execution.id, execution.state.seq)) {
      this.forget(execution);
      return false;
    }
    return true;
  }

  private async isSaved(execution: LiveExecution): Promise<boolean> {
    const { seq } = execution.state;
    await this.commit.saved();
    return execution.durable >= seq;
  }

  /** Only with a driver: alone, an execution that is not live here has ended or must be adopted. */
  private load(executionId: string): Promise<LiveExecution | undefined> {
    if (this.options.driver === undefined) return Promise.resolve(undefined);
    let loading = this.loading.get(executionId);
    if (loading === undefined) {
      loading = this.read(executionId, this.options.driver).finally(() => this.loading.delete(executionId));
      this.loading.set(executionId, loading);
    }
    return loading;
  }

  private async read(executionId: string, driver: string): Promise<LiveExecution | undefined> {
    const row = await this.options.store.execution(executionId);
    if (row === undefined || row.ended_at !== undefined) return undefined;
    if (isLocalDriver(row.driver)) await takeLeft(this.options, executionId, row.driver);
    const state = await this.loaded(executionId);
    if (state === undefined || isEnded(state)) return undefined;
    const execution = new LiveExecution(state, await sourceOf(this.options.store, executionId));
    this.live.set(executionId, execution);
    this.loopResults.joinAll(execution);
    this.parking.woken(executionId);
    execution.due = row.due_at ?? null;
    execution.offered = row.wants == null ? undefined : 'by an earlier driver';
    if (state.driver !== driver) this.takeOver(execution, state.driver);
    this.offer(execution);
    return execution;
  }

  /** What was ready when it was read; what becomes so later is noted with its events. */
  private offer(execution: LiveExecution): void {
    if (execution.state.ready.size === 0) return;
    this.dispatch.add(execution);
    this.commit.schedule();
  }

  private takeOver(execution: LiveExecution, from: string | undefined): void {
    const driver = this.options.driver!;
    execution.changeRow({ driver });
    execution.withdraw();
    this.turn(execution, { type: 'DriveExecution', driver });
    if (from !== undefined) this.options.onTaken?.(execution.id, from, execution.state.seq);
    // The driver before may have been told that a child ended, and not have come to look.
    this.family.lookSoon(execution);
  }

  /** While consequences remain for the turn that settles them, other commands draw none of their own. */
  private turn(execution: LiveExecution, command: Command): Turn {
    if (this.fault !== undefined) throw this.fault;
    this.env.now = this.now();
    this.bounds.share();
    const isPutOff = execution.unsettled && command.type !== 'SettleExecution';
    const result = this.decided(execution, command, isPutOff ? 0 : undefined);
    if (result.refusal === undefined) execution.unsettled = result.unsettled;
    if (result.events.length === 0) return result;
    this.note(execution, result.events);
    if (result.unsettled && !isPutOff) this.ticks.add(execution.root, () => this.settle(execution));
    this.commit.add(execution, result.events);
    return result;
  }

  /** A turn that breaks off leaves a state that the log does not have: nothing may be decided on it. */
  private decided(execution: LiveExecution, command: Command, mostEvents: number | undefined): Turn {
    try {
      const result = turn(execution.state, command, this.env, mostEvents);
      if (!this.values.hasMissing) return result;
    } catch (error) {
      if (!this.values.hasMissing) {
        if (isTooLong(error)) this.lose(execution, error);
        else if (this.options.driver === undefined) this.commit.fail(error);
        else this.forget(execution);
        throw error;
      }
    }
    this.forget(execution);
    throw new NotAtHand(this.values.takeMissing());
  }

  /** A turn that nobody waits for; what it could not do is done when the execution is read again. */
  private guarded(execution: LiveExecution, command: Command): void {
    if (this.fault !== undefined || execution.lost || isEnded(execution.state)) return;
    try {
      this.turn(execution, command);
    } catch (error) {
      this.retries.again(execution.id, error);
    }
  }

  private settle(execution: LiveExecution): void {
    this.guarded(execution, { type: 'SettleExecution' });
  }

  /** What must happen beside the log when these events come: rows, aborts, timers. */
  private note(execution: LiveExecution, events: readonly Event[]): void {
    const { state } = execution;
    if (execution.note(events)) this.abortLost(execution);
    if (state.ready.size > 0 && state.status === 'running') this.dispatch.add(execution);
  }

  private abortLost(execution: LiveExecution): void {
    for (const [jobId, { fence }] of execution.held) {
      const job = execution.state.jobs.get(jobId);
      if (job?.fence === fence && job.status === 'leased') continue;
      execution.held.delete(jobId);
      this.options.executor.abort(execution.id, jobId, NO_LONGER_WANTED);
    }
  }

  // When the store does not take something.

  /** Alone, the engine ends with its store. A server goes on: others may have better luck, and later it may. */
  private isPassing(error: unknown): boolean {
    if (isTooLong(error)) return true;
    if (this.options.driver === undefined) return false;
    this.retries.refused(error);
    return true;
  }

  private failed(error: unknown): void {
    this.fault = error;
    this.options.onFailed?.(error);
    this.timers.clear();
    this.parking.clear();
    for (const execution of this.live.values()) {
      for (const jobId of execution.held.keys())
        this.options.executor.abort(execution.id, jobId, 'the store failed');
    }
    for (const end of this.ends.values()) end.reject(error);
  }

  private lose(execution: LiveExecution, error: unknown): void {
    if (this.options.driver === undefined && error === undefined) this.commit.fail(takenFrom(execution.id));
    execution.lostBy = error;
    this.forget(execution);
    if (!isTooLong(error)) return;
    this.options.onFault?.(execution.id, error);
    this.giveUp(execution.id, error, execution).catch((failure: unknown) =>
      this.retries.again(execution.id, failure),
    );
  }

  /** Nothing can be done with it: it has failed. `last`: as it was in memory last. */
  private async giveUp(
    executionId: string,
    error: unknown,
    last = this.live.get(executionId),
  ): Promise<State | undefined> {
    if (last) this.letGo(last);
    for (const jobId of last?.held.keys() ?? [])
      this.options.executor.abort(executionId, jobId, NO_LONGER_WANTED);
    const message = `Woof cannot continue this run: ${(error as Error).message}`;
    const why = { kind: 'unknown', retryable: false, code: 'run/abandoned', message } as const;
    const state = await abandon(this.options.store, executionId, why, this.now());
    this.retries.cameThrough(executionId);
    if (state === undefined) return undefined;
    if (last?.state.parent) state.parent = last.state.parent;
    this.concluded({ id: executionId, state, children: last?.children ?? new Set() });
    return state;
  }

  /** What is in memory is not what the log says, or not known to be. */
  private forget(execution: LiveExecution): void {
    if (execution.lost) return;
    execution.lost = true;
    this.letGo(execution);
    if (this.options.driver !== undefined) this.retries.again(execution.id, undefined);
  }

  private letGo(execution: LiveExecution): void {
    if (this.live.get(execution.id) === execution) this.live.delete(execution.id);
    this.bounds.left(execution);
    this.dispatch.remove(execution);
    this.commit.drop(execution);
  }

  // Leases.

  private committed(): boolean {
    this.dispatch.startLeased();
    return !this.closing && this.dispatch.canLease;
  }

  /** Called by the executor when a slot became free. */
  slotFreed(): void {
    this.dispatch.retry();
    if (this.dispatch.hasWork) this.commit.schedule();
  }

  private lease(execution: LiveExecution, jobId: string, worker: string): Assignment | undefined {
    try {
      this.turn(execution, { type: 'LeaseJob', job_id: jobId, worker });
      const assignment = assign(execution, jobId, this.env);
      if (execution.offered !== undefined) execution.withdraw();
      execution.held.set(jobId, { fence: assignment.fence, ledBy: execution.state.seq });
      return assignment;
    } catch (error) {
      if (this.options.driver === undefined) throw error;
      this.forget(execution);
      return undefined;
    }
  }

  // After events are durable.

  private appended(execution: LiveExecution, events: readonly Event[]): void {
    this.retries.taken();
    this.tell(execution, events);
    for (const event of events) {
      if (event.name === 'job.parked') this.parked(execution, event.iteration_id ?? event.step_run_id!);
      if (event.name === 'job.woken') this.family.forgetChildren(execution);
      if (event.name === 'loop.results.stored')
        this.loopResults.join(execution, event.iteration_id ?? event.step_run_id!);
      if (event.name === 'playbook.processed') this.finish(execution);
      // Time may have woken it since.
      if (event.name === 'execution.needs_human' && execution.state.status === 'needs_human')
        this.resolveEnd(execution);
    }
    const tooLarge = this.bounds.look(execution, events.length);
    if (tooLarge) this.guarded(execution, tooLarge);
    this.family.asked(execution);
    this.parking.rest(execution);
  }

  private tell({ id, state }: LiveExecution, events: readonly Event[]): void {
    try {
      this.options.onEvents?.(id, events, state);
    } catch (error) {
      // Who listens must not be able to stop what it listens to.
      this.options.onFault?.(id, error);
    }
  }

  private finish(execution: LiveExecution): void {
    this.letGo(execution);
    this.concluded(execution);
  }

  /** Whoever waits for its end is told. */
  private concluded(ended: Pick<LiveExecution, 'id' | 'state' | 'children'>): void {
    this.timers.clearOf(ended.id);
    this.options.executor.ended?.(ended.id);
    this.resolveEnd(ended);
    this.family.ended(ended);
  }

  private resolveEnd({ id, state }: Pick<LiveExecution, 'id' | 'state'>): void {
    this.ends.get(id)?.resolve(state);
    this.ends.delete(id);
  }

  private parked(execution: LiveExecution, jobId: string): void {
    this.parking.watch(execution, jobId);
    if (this.options.driver !== undefined) this.family.lookAtSoon(execution, jobId);
  }
}

/** Only a process that claimed an execution writes to it, so whoever else does has reason to think that this one is gone. */
function takenFrom(executionId: string): StoreError {
  const message = `another process has written to run ${executionId}, so this process stops. To see the run, use: woof show ${executionId}`;
  return new StoreError('busy', message);
}

/** A text would be longer than V8 allows: of one frame, or of a value in it. */
function isTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isText = error instanceof RangeError && error.message === 'Invalid string length';
  return isText || (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG';
}
