/**
 * The engine: command → turn of the net → one frame → durable → dispatch.
 *
 * Owns: the executions that this process drives, timers of parked jobs, and the ties between a playbook and its children.
 * Does not own: when things become durable (group-commit.ts), which worker gets a job (dispatch.ts), rules (net), tools
 * (worker), documents.
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
  type ChildAnswer,
  type ChildRequest,
  type Command,
  type Env,
  type Event,
  emptyState,
  isEnded,
  type JobPort,
  type JobReport,
  type Json,
  type JsonObject,
  NO_LONGER_WANTED,
  outstanding,
  type Plan,
  type Reference,
  type Refusal,
  type State,
  type Turn,
  turn,
} from '@woof/net';
import { type BlobStore, type ExecutionRow, type Store, StoreError, Values } from '@woof/stores';
import { assign } from './assign.ts';
import { Backoff } from './backoff.ts';
import { Deferred } from './deferred.ts';
import { Dispatch } from './dispatch.ts';
import type { Executor } from './executor.ts';
import { type CommitFigures, GroupCommit } from './group-commit.ts';
import { childId, newExecutionId } from './ids.ts';
import { LiveExecution } from './live-execution.ts';
import { hashPlan, loadState } from './replay.ts';
import { Resting } from './resting.ts';
import { Timers } from './timers.ts';
import { workloadFault } from './workload-limit.ts';

const MAX_NESTING = 32;

export interface EngineOptions {
  store: Store;
  blobs: BlobStore;
  executor: Executor;
  now?: () => number;
  /** The name of this server, where several share the store. */
  driver?: string;
  /** Finds and compiles the document of a nested playbook. */
  resolve?: (path: string, from: Record<string, string>) => Promise<Resolved | { message: string }>;
  /** Told of events once they are durable. */
  onEvents?: (executionId: string, events: readonly Event[], state: State) => void;
  /** Told of an execution that was another server's. */
  onTaken?: (executionId: string, from: string, seq: number) => void;
  /** Told of every commit. */
  onCommit?: (figures: CommitFigures) => void;
  /** Told when the engine can decide nothing more. */
  onFailed?: (error: unknown) => void;
  /** Told of faults that nobody waits for. */
  onFault?: (executionId: string, error: unknown) => void;
}

export interface Resolved {
  plan: Plan;
  source: Record<string, string>;
}

export interface StartRequest extends Resolved {
  workload: JsonObject;
  granted?: JsonObject;
  executionId?: string;
  more?: Pick<Extract<Command, { type: 'StartExecution' }>, 'parent' | 'iter' | 'adopt' | 'priority'>;
}

/** A job as a worker names it. */
export type HeldJob = Pick<Assignment, 'execution_id' | 'job_id' | 'fence'>;

export type Reported = HeldJob & { reports: JobReport[] };

/** A decision read a value that lies elsewhere: it is void, and made again when the value is here. */
class NotAtHand extends Error {
  constructor(readonly references: Reference[]) {
    super('a value that was read lies elsewhere');
  }
}

export class Engine implements JobPort {
  private readonly live = new Map<string, LiveExecution>();
  private readonly loading = new Map<string, Promise<LiveExecution | undefined>>();
  private readonly ends = new Map<string, Deferred<State>>();
  private readonly timers: Timers;
  private readonly resting: Resting;
  private readonly values: Values;
  private readonly now: () => number;
  private readonly env: Env;
  private readonly commit: GroupCommit;
  private readonly dispatch: Dispatch;
  private readonly backoff = new Backoff();
  private unwritten: { error: unknown; at: number } | undefined;
  private closing = false;
  private fault: unknown;

  constructor(private readonly options: EngineOptions) {
    this.now = options.now ?? Date.now;
    this.values = new Values(options.blobs);
    this.timers = new Timers(this.now);
    this.resting = new Resting(this.now, (id) => void this.driveSurely(id));
    const { offload, resolve } = this.values;
    const host = { now: this.now, load: (value: unknown) => this.values.load(value as never) };
    this.env = { now: 0, host, offload, resolve };
    this.dispatch = new Dispatch({
      executor: options.executor,
      lease: (execution, jobId, worker) => this.lease(execution, jobId, worker),
      start: (assignment, worker) => options.executor.execute(assignment, worker, this),
      now: this.now,
    });
    this.commit = new GroupCommit({
      store: options.store,
      values: this.values,
      before: () => !this.closing && this.dispatch.leaseAll() && !this.dispatch.hasLeased,
      complete: (execution) => this.noteDue(execution),
      appended: (execution, events) => this.appended(execution, events),
      lost: (execution, error) => {
        execution.lostBy = error;
        this.forget(execution);
      },
      after: () => this.committed(),
      isPassing: (error) => this.isPassing(error),
      failed: (error) => this.failed(error),
      measured: options.onCommit,
    });
  }

  /** Durable when it resolves. An execution of that id that exists is left as it is. */
  async start(request: StartRequest): Promise<string> {
    const id = request.executionId ?? newExecutionId(this.now());
    for (;;) {
      const execution = this.live.get(id) ?? (await this.attempt(() => this.begin(id, request)));
      if (execution === undefined) continue;
      if (await this.isSaved(execution)) return id;
      // The store may have taken it without being able to say so.
      if (await this.options.store.execution(id)) return id;
      if (execution.lostBy !== undefined) throw execution.lostBy;
    }
  }

  private begin(id: string, request: StartRequest): LiveExecution {
    const hash = hashPlan(request.plan);
    const { parent } = request.more ?? {};
    const row: ExecutionRow = {
      execution_id: id,
      name: request.plan.name,
      kind: request.plan.kind,
      status: 'running',
      started_at: this.now(),
      plan_hash: hash,
      ...(request.source.file ? { file: request.source.file } : {}),
      ...(request.plan.path ? { path: request.plan.path } : {}),
      ...(parent ? { parent: parent.execution_id } : {}),
      ...(this.options.driver ? { driver: this.options.driver } : {}),
    };
    const first = { row, plan: { hash, plan: request.plan } };
    const execution = new LiveExecution(emptyState(id, request.plan), request.source, first);
    this.live.set(id, execution);
    const granted = request.granted ? { granted: request.granted } : {};
    const { workload, source } = request;
    this.turn(execution, {
      type: 'StartExecution',
      plan_hash: hash,
      workload,
      source,
      ...granted,
      ...(this.options.driver ? { driver: this.options.driver } : {}),
      ...request.more,
    });
    return execution;
  }

  /** Takes over an execution whose process ended: what it had leased is expired and given out again. */
  async adopt(executionId: string): Promise<State | undefined> {
    const known = this.live.get(executionId);
    if (known) return known.state;
    const state = await loadState(this.options.store, executionId);
    if (state !== undefined && isEnded(state)) await this.cancelOrphans(executionId);
    if (state === undefined || isEnded(state)) return state;
    const execution = new LiveExecution(state, await sourceOf(this.options.store, executionId));
    this.live.set(executionId, execution);
    for (const job of [...state.jobs.values()]) {
      if (job.status !== 'leased') continue;
      const reason = 'the process that ran it ended';
      this.turn(execution, { type: 'ExpireJob', job_id: job.id, fence: job.fence, reason });
    }
    if (state.status === 'paused') this.turn(execution, { type: 'ResumeExecution' });
    this.look(execution);
    for (const { child } of outstanding(state).children) await this.adopt(child);
    this.watchParked(execution);
    this.offer(execution);
    await this.commit.saved();
    return state;
  }

  /** A process that died just after a caller ended left its children running. */
  private async cancelOrphans(executionId: string): Promise<void> {
    for (const row of await this.options.store.executions({ status: 'running', parent: executionId })) {
      if (this.live.has(row.execution_id)) continue;
      await this.adopt(row.execution_id);
      await this.cancelChild(row.execution_id, `its caller ${executionId} ended`);
    }
  }

  /** Resolves with the state when it has ended or waits for a person; rejects when the store fails. */
  finished(executionId: string): Promise<State> {
    const execution = this.live.get(executionId);
    if (execution === undefined)
      return Promise.reject(new Error(`execution ${executionId} is not driven here`));
    if (execution.state.status === 'needs_human') return this.commit.saved().then(() => execution.state);
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

  /** Gives out no further job and waits for what is under way; timers end. */
  async close(): Promise<void> {
    this.closing = true;
    this.timers.clear();
    this.resting.clear();
    while (this.commit.isBusy) await this.commit.saved();
  }

  /** What the stopped worker of this process was at is given back: whoever goes on with it has lost nothing. */
  async handBack(reason: string): Promise<void> {
    for (const execution of [...this.live.values()]) {
      for (const [job_id, fence] of [...execution.held])
        this.guarded(
          execution,
          reportOf({ execution_id: execution.id, job_id, fence }, [{ type: 'released', reason }]),
        );
    }
    while (this.commit.isBusy) await this.commit.saved();
  }

  // What several servers need of it.

  /** What a worker of another process reports; for each, whether the job is still its. Durable when it resolves. */
  async reportJobs(worker: string, batch: readonly Reported[]): Promise<boolean[]> {
    const byExecution = new Map<string, Reported[]>();
    for (const item of batch) {
      const items = byExecution.get(item.execution_id);
      if (items) items.push(item);
      else byExecution.set(item.execution_id, [item]);
    }
    const held = new Map<Reported, boolean>();
    await Promise.all([...byExecution].map(([id, items]) => this.reportAll(id, worker, items, held)));
    return batch.map((item) => held.get(item) ?? false);
  }

  /**
   * In the order in which they were made, each time that they must be decided anew. A fault of one execution is none of
   * the others': its jobs are given again when their worker does not name them any more.
   */
  private async reportAll(
    executionId: string,
    worker: string,
    items: readonly Reported[],
    held: Map<Reported, boolean>,
  ): Promise<void> {
    // Only of the execution that took them: an earlier try may have been on one that is lost.
    let taken: LiveExecution | undefined;
    try {
      const result = await this.decide(executionId, (execution) => {
        const turns = items.map((item) => this.turn(execution, { ...reportOf(item, item.reports), worker }));
        const refused = turns.find(({ refusal }) => refusal !== undefined);
        return { taken: execution, ...(refused?.refusal ? { refusal: refused.refusal } : {}) };
      });
      if ('taken' in result) ({ taken } = result);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.options.onFault?.(executionId, error);
      return;
    }
    for (const item of items) held.set(item, taken !== undefined && isHeldIn(taken, worker, item));
  }

  /** Of these, the jobs that the log leases to that worker; their executions may be another server's. */
  async heldAmong(worker: string, jobs: readonly HeldJob[]): Promise<Set<HeldJob>> {
    const held = new Set<HeldJob>();
    const states = new Map<string, State | undefined>();
    for (const job of jobs) {
      const id = job.execution_id;
      const live = this.live.get(id);
      if (live !== undefined && isHeldIn(live, worker, job)) {
        held.add(job);
        continue;
      }
      if (!states.has(id)) states.set(id, await loadState(this.options.store, id));
      const found = states.get(id)?.jobs.get(job.job_id);
      if (found?.status === 'leased' && found.fence === job.fence && found.worker === worker) held.add(job);
    }
    return held;
  }

  async isHeld(worker: string, job: HeldJob): Promise<boolean> {
    return (await this.heldAmong(worker, [job])).size > 0;
  }

  /** Takes an execution over where it is another's, and looks what it waits for. */
  async drive(executionId: string): Promise<void> {
    let seen: LiveExecution | undefined;
    await this.decide(executionId, (execution) => {
      seen = execution;
      this.look(execution);
      return {};
    });
    if (seen) await this.lookAtFamily(seen);
  }

  /** The same, made again until it comes through: what became this server's must not be forgotten. */
  async driveSurely(executionId: string): Promise<void> {
    try {
      await this.drive(executionId);
    } catch (error) {
      this.again(executionId, error);
    }
  }

  /** Another server wrote to it: what is here is old. */
  taken(executionId: string, seq: number): void {
    const execution = this.live.get(executionId);
    if (execution && execution.durable < seq) this.forget(execution);
  }

  /** Expires what workers hold that are not there any more. */
  expire(isAlive: (worker: string) => boolean): void {
    for (const execution of [...this.live.values()]) {
      for (const [jobId, fence] of [...execution.held]) {
        const worker = execution.state.jobs.get(jobId)?.worker;
        if (typeof worker !== 'string' || isAlive(worker)) continue;
        const reason = `worker ${worker} is gone`;
        this.guarded(execution, { type: 'ExpireJob', job_id: jobId, fence, reason });
      }
    }
  }

  expireJob({ execution_id, job_id, fence }: HeldJob, reason: string): void {
    const execution = this.live.get(execution_id);
    if (execution) this.guarded(execution, { type: 'ExpireJob', job_id, fence, reason });
  }

  /** What the log leases to a worker, of what is driven here. */
  *heldBy(worker: string): Iterable<HeldJob> {
    for (const { id, held, state } of this.live.values()) {
      for (const [job_id, fence] of held) {
        if (state.jobs.get(job_id)?.worker === worker) yield { execution_id: id, job_id, fence };
      }
    }
  }

  /** Everything that waits for a worker here. */
  waiting(): Iterable<LiveExecution> {
    return this.dispatch.waiting();
  }

  /** Says in the store which worker an execution wants; null: none. */
  want(execution: LiveExecution, labels: JsonObject | null): void {
    execution.changeRow({ wants: labels });
    this.commit.add(execution, []);
  }

  /** Why it decides nothing more. */
  get failure(): unknown {
    return this.fault;
  }

  /** The last thing that the store did not take, and when; undefined since it took one. */
  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.unwritten;
  }

  get counts(): { live: number; parked: number } {
    return { live: this.live.size, parked: this.resting.size };
  }

  // JobPort: what the worker of this process says about its jobs.

  get host(): Env['host'] {
    return this.env.host;
  }

  lacks(): boolean {
    return this.values.hasMissing;
  }

  bring(): Promise<void> {
    return this.values.bring();
  }

  offload(value: Json, inlineMaxBytes?: number): Json {
    return this.values.offload(value, inlineMaxBytes);
  }

  started(assignment: Assignment, report: JobReport): void {
    const execution = this.live.get(assignment.execution_id);
    if (execution && this.fault === undefined) this.turn(execution, reportOf(assignment, [report]));
  }

  report(assignment: Assignment, reports: JobReport[]): boolean {
    const execution = this.live.get(assignment.execution_id);
    if (execution === undefined || this.fault !== undefined) return false;
    const { refusal } = this.turn(execution, reportOf(assignment, reports));
    return refusal === undefined && this.holds(assignment);
  }

  async durable(assignment: Assignment): Promise<boolean> {
    await this.commit.saved();
    const execution = this.live.get(assignment.execution_id);
    if (execution?.state.status === 'paused' && this.holds(assignment)) {
      const reason = 'the execution is paused';
      this.turn(execution, reportOf(assignment, [{ type: 'released', reason }]));
    }
    return this.holds(assignment);
  }

  private holds({ execution_id, job_id, fence }: HeldJob): boolean {
    return this.live.get(execution_id)?.held.get(job_id) === fence;
  }

  async child(assignment: Pick<Assignment, 'execution_id' | 'job_id' | 'granted'>, request: ChildRequest) {
    const { execution_id: caller, job_id, granted } = assignment;
    if (caller.split('-').length > 3 + MAX_NESTING)
      return invalid(`playbooks nested more than ${MAX_NESTING} deep; does one call itself?`);
    const id = childId(caller, request.key);
    const known = this.live.get(id)?.state ?? (await this.known(id));
    if (known) return childAnswer(known, request.return_step);
    const from = this.live.get(caller)?.source ?? (await sourceOf(this.options.store, caller));
    const resolved = await this.options.resolve?.(request.path, from);
    if (resolved === undefined) return invalid('nested playbooks cannot be found here');
    if ('message' in resolved) return invalid(resolved.message);
    const workload = { ...resolved.plan.workload, ...request.args };
    const fault = this.options.driver === undefined ? undefined : workloadFault(workload);
    if (fault !== undefined) return invalid(`nested playbook ${request.path}: ${fault}`);
    const more = { parent: { execution_id: caller, job_id }, iter: request.iter };
    await this.start({ ...resolved, workload, granted, executionId: id, more });
    return { state: 'running', execution_id: id } as const;
  }

  /** A child that was started before, by this process or another. */
  private known(id: string): Promise<State | undefined> {
    return this.options.driver === undefined ? this.adopt(id) : loadState(this.options.store, id);
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
        if (this.options.driver !== undefined) this.rest(execution);
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
    if (row === undefined) return undefined;
    const state = await loadState(this.options.store, executionId);
    if (state === undefined || isEnded(state)) return undefined;
    const execution = new LiveExecution(state, await sourceOf(this.options.store, executionId));
    this.live.set(executionId, execution);
    this.timers.clearOf(executionId, isParked);
    this.resting.remove(executionId);
    if (state.driver !== driver) this.takeOver(execution, state.driver);
    execution.due = row.due_at ?? null;
    execution.isOffered = row.wants != null;
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
    execution.changeRow({ driver, wants: null });
    this.turn(execution, { type: 'DriveExecution', driver });
    if (from !== undefined) this.options.onTaken?.(execution.id, from, execution.state.seq);
    // The driver before may have been told that a child ended, and not have come to look.
    this.lookAtFamilySoon(execution);
  }

  private turn(execution: LiveExecution, command: Command): Turn {
    if (this.fault !== undefined) throw this.fault;
    this.env.now = this.now();
    const result = this.decided(execution, command);
    execution.unsettled = result.unsettled;
    if (result.events.length === 0) return result;
    this.note(execution, result.events);
    if (result.unsettled) setImmediate(() => this.settle(execution));
    this.commit.add(execution, result.events);
    return result;
  }

  /** A turn that breaks off leaves a state that the log does not have: nothing may be decided on it. */
  private decided(execution: LiveExecution, command: Command): Turn {
    try {
      const result = turn(execution.state, command, this.env);
      if (!this.values.hasMissing) return result;
    } catch (error) {
      if (!this.values.hasMissing) {
        if (this.options.driver === undefined) this.commit.fail(error);
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
      this.again(execution.id, error);
    }
  }

  private settle(execution: LiveExecution): void {
    this.guarded(execution, { type: 'SettleExecution' });
  }

  /** What must happen beside the log when these events come: rows, aborts, timers. */
  private note(execution: LiveExecution, events: readonly Event[]): void {
    const { state } = execution;
    let mayAbort = false;
    for (const event of events) {
      switch (event.name) {
        case 'workflow.finished':
        case 'execution.paused':
          mayAbort = true;
          break;
        case 'step.failed':
        case 'step.cancelled':
        case 'loop.iteration.failed':
        case 'job.released':
        case 'job.expired':
          mayAbort = true;
          break;
        case 'job.parked':
          if (typeof event.data?.child === 'string') execution.children.add(event.data.child);
          execution.held.delete(event.iteration_id ?? event.step_run_id!);
          break;
        case 'step.done':
        case 'loop.iteration.done':
          execution.held.delete(event.iteration_id ?? event.step_run_id!);
          break;
      }
    }
    if (state.status !== execution.status) execution.changeRow(rowOf(state));
    execution.status = state.status;
    if (mayAbort) this.abortLost(execution);
    if (state.ready.size > 0 && state.status === 'running') this.dispatch.add(execution);
  }

  private abortLost(execution: LiveExecution): void {
    for (const [jobId, fence] of execution.held) {
      const job = execution.state.jobs.get(jobId);
      if (job?.fence === fence && job.status === 'leased') continue;
      execution.held.delete(jobId);
      this.options.executor.abort(execution.id, jobId, NO_LONGER_WANTED);
    }
  }

  // When the store does not take something.

  /** Alone, the engine ends with its store. A server goes on: others may have better luck, and later it may. */
  private isPassing(error: unknown): boolean {
    if (this.options.driver === undefined) return false;
    this.unwritten = { error, at: this.now() };
    this.options.onFault?.('', error);
    return true;
  }

  private failed(error: unknown): void {
    this.fault = error;
    this.options.onFailed?.(error);
    this.timers.clear();
    this.resting.clear();
    for (const execution of this.live.values()) {
      for (const jobId of execution.held.keys())
        this.options.executor.abort(execution.id, jobId, 'the store failed');
    }
    for (const end of this.ends.values()) end.reject(error);
  }

  /** What is in memory is not what the log says, or not known to be. */
  private forget(execution: LiveExecution): void {
    if (execution.lost) return;
    execution.lost = true;
    this.letGo(execution);
    if (this.options.driver !== undefined) this.again(execution.id, undefined);
  }

  private letGo(execution: LiveExecution): void {
    if (this.live.get(execution.id) === execution) this.live.delete(execution.id);
    this.dispatch.remove(execution);
    this.commit.drop(execution);
  }

  /** Looks at it again in a moment: it may be another's by then, and that is well. */
  private again(executionId: string, error: unknown): void {
    if (error !== undefined && !(error instanceof NotAtHand)) this.options.onFault?.(executionId, error);
    if (this.closing || this.options.driver === undefined) return;
    const retry = async () => {
      if (error instanceof NotAtHand) await this.values.bring(error.references);
      const row = await this.options.store.execution(executionId);
      if (row?.driver === this.options.driver) await this.drive(executionId);
      this.backoff.clear(executionId);
    };
    const soon = this.now() + (error === undefined ? RELOAD_AFTER_MS : this.retryAfter(executionId, error));
    this.timers.set(executionId, 'again', soon, () => {
      retry().catch((failure: unknown) => this.again(executionId, failure));
    });
  }

  /** A store comes back for all at once, and is asked soon; what is wrong with one execution may stay so. */
  private retryAfter(executionId: string, error: unknown): number {
    return error instanceof StoreError ? RETRY_AFTER_MS : this.backoff.next(executionId);
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
      if (execution.isOffered) this.withdraw(execution);
      execution.held.set(jobId, assignment.fence);
      return assignment;
    } catch (error) {
      if (this.options.driver === undefined) throw error;
      this.forget(execution);
      return undefined;
    }
  }

  private withdraw(execution: LiveExecution): void {
    execution.isOffered = false;
    execution.changeRow({ wants: null });
  }

  // After events are durable.

  private appended(execution: LiveExecution, events: readonly Event[]): void {
    this.unwritten = undefined;
    this.tell(execution, events);
    for (const event of events) {
      if (event.name === 'job.parked') this.parked(execution, event.iteration_id ?? event.step_run_id!);
      if (event.name === 'job.woken') this.forgetChildren(execution);
      if (event.name === 'playbook.processed') this.finish(execution);
      // Time may have woken it since.
      if (event.name === 'execution.needs_human' && execution.state.status === 'needs_human')
        this.resolveEnd(execution);
    }
    if (this.options.driver !== undefined) this.rest(execution);
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
    const { state } = execution;
    this.letGo(execution);
    this.timers.clearOf(execution.id);
    this.options.executor.ended?.(execution.id);
    this.resolveEnd(execution);
    if (state.parent) this.wake(state.parent.execution_id, state.parent.job_id);
    const reason = `its caller ${execution.id} ended`;
    for (const child of execution.children) this.send(child, { type: 'CancelExecution', reason });
  }

  private resolveEnd({ id, state }: LiveExecution): void {
    this.ends.get(id)?.resolve(state);
    this.ends.delete(id);
  }

  private forgetChildren(execution: LiveExecution): void {
    if (execution.children.size === 0) return;
    execution.children.clear();
    for (const job of execution.state.jobs.values())
      if (job.child !== null) execution.children.add(job.child);
  }

  private wake(executionId: string, jobId: string): void {
    this.send(executionId, { type: 'WakeJob', job_id: jobId });
  }

  /** A command that nobody waits for. */
  private send(executionId: string, command: Command): void {
    const execution = this.live.get(executionId);
    if (execution) this.guarded(execution, command);
    else if (this.options.driver !== undefined) {
      this.command(executionId, command).then(
        () => this.backoff.clear(executionId),
        (error: unknown) => this.sendLater(executionId, command, error),
      );
    }
  }

  private sendLater(executionId: string, command: Command, error: unknown): void {
    this.options.onFault?.(executionId, error);
    if (this.closing) return;
    const then = this.now() + this.retryAfter(executionId, error);
    this.timers.set(executionId, `send ${command.type}`, then, () => this.send(executionId, command));
  }

  private parked(execution: LiveExecution, jobId: string): void {
    this.watch(execution, jobId);
    if (this.options.driver !== undefined && execution.state.jobs.get(jobId)?.child)
      this.lookAtFamilySoon(execution);
  }

  private lookAtFamilySoon(execution: LiveExecution): void {
    this.lookAtFamily(execution).catch((error: unknown) => this.again(execution.id, error));
  }

  // Parked jobs.

  private watch(execution: LiveExecution, jobId: string): void {
    const job = execution.state.jobs.get(jobId);
    if (job?.status !== 'parked') return;
    if (job.until !== null)
      this.timers.set(execution.id, `job ${jobId}`, job.until, () => this.wake(execution.id, jobId));
    if (job.child !== null && this.options.driver === undefined && !this.live.has(job.child))
      this.wake(execution.id, jobId);
  }

  private watchParked(execution: LiveExecution): void {
    const { timers, children } = outstanding(execution.state);
    for (const { job_id: jobId } of [...timers, ...children]) this.watch(execution, jobId);
  }

  /** What time alone has settled since it was looked at last. */
  private look(execution: LiveExecution): void {
    const now = this.now();
    for (const { job_id: jobId, until } of outstanding(execution.state).timers) {
      if (until <= now) this.turn(execution, { type: 'WakeJob', job_id: jobId });
      else this.watch(execution, jobId);
    }
    this.turn(execution, { type: 'SettleExecution' });
  }

  /** Children may have ended, or its caller, while nobody watched. */
  private async lookAtFamily(execution: LiveExecution): Promise<void> {
    for (const { job_id, child } of outstanding(execution.state).children) {
      const row = await this.options.store.execution(child);
      if (row === undefined || row.ended_at !== undefined) this.wake(execution.id, job_id);
    }
    const { parent } = execution.state;
    const caller = parent && (await this.options.store.execution(parent.execution_id));
    if (caller?.ended_at === undefined) return;
    this.send(execution.id, { type: 'CancelExecution', reason: `its caller ${caller.execution_id} ended` });
  }

  /** Written with the frame that lets an execution rest: when it must be looked at again, and whom its end wakes. */
  private noteDue(execution: LiveExecution): void {
    if (this.options.driver === undefined) return;
    const { state } = execution;
    if (isEnded(state)) {
      if (state.parent) execution.wakes = [state.parent.execution_id];
      if (execution.isOffered) this.withdraw(execution);
      return;
    }
    const due = execution.isIdle ? nextDue(state) : null;
    if (due === execution.due) return;
    execution.due = due;
    execution.changeRow({ due_at: due });
  }

  /** An execution that only waits needs no memory: its row says when it is due. */
  private rest(execution: LiveExecution): void {
    if (execution.lost || execution.hasUnsaved || !execution.isIdle) return;
    if (this.live.get(execution.id) !== execution || this.ends.has(execution.id)) return;
    this.letGo(execution);
    this.timers.clearOf(execution.id, isParked);
    const due = nextDue(execution.state);
    if (due === null) return;
    const { id } = execution;
    this.resting.add(id, due);
  }
}

/** Timers that wake what is parked; those that try something again are not among them. */
const isParked = (key: string): boolean => key.startsWith('job ');

const RELOAD_AFTER_MS = 50;
const RETRY_AFTER_MS = 1000;

function nextDue(state: State): number | null {
  if (state.status === 'paused') return null;
  let due: number | null = null;
  for (const { until } of outstanding(state).timers) due = Math.min(due ?? until, until);
  return due;
}

function isHeldIn({ held, state }: LiveExecution, worker: string, { job_id, fence }: HeldJob): boolean {
  return held.get(job_id) === fence && state.jobs.get(job_id)?.worker === worker;
}

function reportOf({ job_id, fence }: HeldJob, reports: JobReport[]): Extract<Command, { type: 'ReportJob' }> {
  return { type: 'ReportJob', job_id, fence, reports };
}

function rowOf(state: State): Partial<ExecutionRow> {
  const row: Partial<ExecutionRow> = { status: state.status };
  if (state.ended_at !== undefined) row.ended_at = state.ended_at;
  if (state.error) row.error = state.error.message;
  return row;
}

const invalid = (message: string): ChildAnswer => ({ state: 'invalid', message });

function childAnswer(state: State, returnStep: string | undefined): ChildAnswer {
  const { execution_id, status } = state;
  if (!isEnded(state)) return { state: 'running', execution_id };
  const result = returnStep === undefined ? state.result : state.steps.get(returnStep)?.result;
  const error = state.error ? { error: state.error.message } : {};
  return { state: 'ended', execution_id, status, result: result ?? null, ...error };
}

async function sourceOf(store: Store, executionId: string): Promise<Record<string, string>> {
  for await (const { events } of store.read(executionId)) {
    return (events[0]?.data?.source ?? {}) as Record<string, string>;
  }
  return {};
}
