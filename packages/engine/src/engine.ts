/**
 * The engine: command → turn of the net → one frame → durable → dispatch.
 *
 * Owns: the executions that this process drives, leases to the local worker, timers of parked jobs, and the ties between
 * a playbook and its children. Does not own: when things become durable (group-commit.ts), rules (net), tools (worker),
 * documents.
 * Invariants:
 * - An effect starts only when all that led to it is durable. What only computes may run ahead of the disk.
 * - When the store fails, nothing more is decided: what was acknowledged stands in the log.
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
  nextReady,
  outstanding,
  type Plan,
  type State,
  type Turn,
  turn,
} from '@woof/net';
import type { BlobStore, ExecutionRow, Store } from '@woof/stores';
import { assign } from './assign.ts';
import { Deferred } from './deferred.ts';
import { GroupCommit } from './group-commit.ts';
import { childId, newExecutionId } from './ids.ts';
import { LiveExecution } from './live-execution.ts';
import { hashPlan, loadState } from './replay.ts';
import { Timers } from './timers.ts';
import { Values } from './values.ts';

const MAX_NESTING = 32;

/** Who executes jobs in this process. */
export interface Executor {
  readonly id: string;
  freeSlots(): number;
  execute(assignment: Assignment, port: JobPort): void;
  /** The job begins with a task that only computes, so that it need not wait for the disk. */
  startsPure(assignment: Assignment): boolean;
  abort(executionId: string, jobId: string, reason: string): void;
  /** The execution is over: whatever was kept for it may go. */
  ended?(executionId: string): void;
}

export interface EngineOptions {
  store: Store;
  blobs: BlobStore;
  executor: Executor;
  now?: () => number;
  /** Finds and compiles the document of a nested playbook. */
  resolve?: (path: string, from: Record<string, string>) => Promise<Resolved | { message: string }>;
  /** Told of events once they are durable. */
  onEvents?: (executionId: string, events: readonly Event[], state: State) => void;
}

export interface Resolved {
  plan: Plan;
  source: Record<string, string>;
}

export interface StartRequest extends Resolved {
  workload: JsonObject;
  granted?: JsonObject;
  executionId?: string;
  more?: Pick<Extract<Command, { type: 'StartExecution' }>, 'parent' | 'iter' | 'adopt'>;
}

export class Engine implements JobPort {
  private readonly live = new Map<string, LiveExecution>();
  private readonly withReady = new Set<LiveExecution>();
  private readonly ends = new Map<string, Deferred<State>>();
  private readonly timers: Timers;
  private readonly values: Values;
  private readonly now: () => number;
  private readonly env: Env;
  private readonly commit: GroupCommit;
  private closing = false;
  private fault: unknown;
  /** Leased and not yet started: they wait for the commit. */
  private readonly leased: Assignment[] = [];

  constructor(private readonly options: EngineOptions) {
    this.now = options.now ?? Date.now;
    this.values = new Values(options.blobs);
    this.timers = new Timers(this.now);
    const { offload, resolve } = this.values;
    const host = { now: this.now, load: (value: unknown) => this.values.load(value as never) };
    this.env = { now: 0, host, offload, resolve };
    this.commit = new GroupCommit({
      store: options.store,
      values: this.values,
      before: () => this.lease() && this.leased.length === 0,
      appended: (id, events) => this.appended(id, events),
      after: () => this.startLeased(),
      failed: (error) => this.failed(error),
    });
  }

  /** Durable when it resolves. */
  async start(request: StartRequest): Promise<string> {
    const id = request.executionId ?? newExecutionId(this.now());
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
      ...(parent ? { parent: parent.execution_id } : {}),
    };
    const first = { row, plan: { hash, plan: request.plan } };
    const execution = new LiveExecution(emptyState(id, request.plan), request.source, first);
    this.live.set(id, execution);
    const granted = request.granted ? { granted: request.granted } : {};
    this.turn(execution, {
      type: 'StartExecution',
      plan_hash: hash,
      workload: request.workload,
      source: request.source,
      ...granted,
      ...request.more,
    });
    await this.commit.saved();
    return id;
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
    else this.turn(execution, { type: 'SettleExecution' });
    await this.watchParked(execution);
    await this.commit.saved();
    return state;
  }

  /** A process that died just after a caller ended left its children running. */
  private async cancelOrphans(executionId: string): Promise<void> {
    for (const row of await this.options.store.executions({ status: 'running' })) {
      if (row.parent !== executionId || this.live.has(row.execution_id)) continue;
      await this.adopt(row.execution_id);
      const reason = `its caller ${executionId} ended`;
      await this.command(row.execution_id, { type: 'CancelExecution', reason });
    }
  }

  /** Resolves with the final state; rejects when the store fails. */
  finished(executionId: string): Promise<State> {
    const execution = this.live.get(executionId);
    if (execution === undefined)
      return Promise.reject(new Error(`execution ${executionId} is not driven here`));
    let end = this.ends.get(executionId);
    if (end === undefined) {
      end = new Deferred<State>();
      this.ends.set(executionId, end);
    }
    return end.promise;
  }

  /** Durable when it resolves; gives the refusal where there is one. */
  async command(executionId: string, command: Command): Promise<Turn['refusal']> {
    const execution = this.live.get(executionId);
    if (execution === undefined) return 'execution_ended';
    const { refusal } = this.turn(execution, command);
    if (refusal === undefined) await this.commit.saved();
    return refusal;
  }

  stateOf(executionId: string): State | undefined {
    return this.live.get(executionId)?.state;
  }

  /** Gives out no further job and waits for what is under way; timers end. */
  async close(): Promise<void> {
    this.closing = true;
    this.timers.clear();
    while (this.commit.isBusy) await this.commit.saved();
  }

  // JobPort: what the worker says about its jobs.

  get host(): Env['host'] {
    return this.env.host;
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

  private holds({ execution_id, job_id, fence }: Assignment): boolean {
    return this.live.get(execution_id)?.held.get(job_id) === fence;
  }

  async child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer> {
    if (assignment.execution_id.split('-').length > 3 + MAX_NESTING) {
      return {
        state: 'invalid',
        message: `playbooks nested more than ${MAX_NESTING} deep; does one call itself?`,
      };
    }
    const id = childId(assignment.execution_id, request.key);
    const known = this.live.get(id)?.state ?? (await this.adopt(id));
    if (known) return childAnswer(known, request.return_step);
    const from = this.live.get(assignment.execution_id)?.source ?? {};
    const resolved = await this.options.resolve?.(request.path, from);
    if (resolved === undefined) return { state: 'invalid', message: 'nested playbooks cannot be found here' };
    if ('message' in resolved) return { state: 'invalid', message: resolved.message };
    const parent = { execution_id: assignment.execution_id, job_id: assignment.job_id };
    const workload = { ...resolved.plan.workload, ...request.args };
    const more = { parent, iter: request.iter };
    await this.start({ ...resolved, workload, granted: assignment.granted, executionId: id, more });
    return { state: 'running', execution_id: id };
  }

  async cancelChild(executionId: string, reason: string): Promise<void> {
    await this.command(executionId, { type: 'CancelExecution', reason });
  }

  // Turns and their consequences.

  private turn(execution: LiveExecution, command: Command): Turn {
    if (this.fault !== undefined) throw this.fault;
    this.env.now = this.now();
    const result = this.decided(execution, command);
    if (result.events.length === 0) return result;
    this.note(execution, result.events);
    if (result.unsettled) setImmediate(() => this.settle(execution));
    this.commit.add(execution, result.events);
    return result;
  }

  /** A turn that breaks off leaves a state that the log does not have: nothing may be decided on it. */
  private decided(execution: LiveExecution, command: Command): Turn {
    try {
      return turn(execution.state, command, this.env);
    } catch (error) {
      this.commit.fail(error);
      throw error;
    }
  }

  private settle(execution: LiveExecution): void {
    if (this.fault === undefined && !isEnded(execution.state))
      this.turn(execution, { type: 'SettleExecution' });
  }

  /** What must happen beside the log when these events come: rows, aborts, timers. */
  private note(execution: LiveExecution, events: readonly Event[]): void {
    const { state } = execution;
    let mayAbort = false;
    for (const event of events) {
      switch (event.name) {
        case 'workflow.finished':
        case 'execution.paused':
        case 'execution.resumed':
          execution.changeRow(rowOf(state));
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
        case 'step.done':
        case 'loop.iteration.done':
          execution.held.delete(event.iteration_id ?? event.step_run_id!);
          break;
      }
    }
    if (mayAbort) this.abortLost(execution);
    if (state.ready.size > 0 && state.status === 'running') this.withReady.add(execution);
  }

  private abortLost(execution: LiveExecution): void {
    for (const [jobId, fence] of execution.held) {
      const job = execution.state.jobs.get(jobId);
      if (job?.fence === fence && job.status === 'leased') continue;
      execution.held.delete(jobId);
      this.options.executor.abort(execution.id, jobId, 'the job is no longer wanted');
    }
  }

  // Leases.

  private failed(error: unknown): void {
    this.fault = error;
    this.timers.clear();
    for (const execution of this.live.values()) {
      for (const jobId of execution.held.keys())
        this.options.executor.abort(execution.id, jobId, 'the store failed');
    }
    for (const end of this.ends.values()) end.reject(error);
  }

  private startLeased(): boolean {
    for (const assignment of this.leased.splice(0)) this.options.executor.execute(assignment, this);
    return this.canLease();
  }

  private canLease(): boolean {
    return !this.closing && this.withReady.size > 0 && this.options.executor.freeSlots() > 0;
  }

  /** Called by the executor when a slot became free. */
  slotFreed(): void {
    if (this.withReady.size > 0) this.commit.schedule();
  }

  /**
   * One job an execution in turn, so that a wide loop does not starve the others. What begins with an effect waits for
   * the commit; what only computes starts at once. True: something did.
   */
  private lease(): boolean {
    let startedPure = false;
    let free = this.closing ? 0 : this.options.executor.freeSlots() - this.leased.length;
    while (free > 0 && this.withReady.size > 0) {
      for (const execution of this.withReady) {
        if (free <= 0) break;
        const assignment = this.leaseOne(execution);
        if (assignment === undefined) {
          this.withReady.delete(execution);
          continue;
        }
        free -= 1;
        const pure = this.options.executor.startsPure(assignment);
        if (pure) this.options.executor.execute(assignment, this);
        else this.leased.push(assignment);
        startedPure ||= pure;
      }
    }
    return startedPure;
  }

  private leaseOne(execution: LiveExecution): Assignment | undefined {
    const jobId = nextReady(execution.state);
    if (jobId === undefined) return undefined;
    this.turn(execution, { type: 'LeaseJob', job_id: jobId, worker: this.options.executor.id });
    const assignment = assign(execution, jobId, this.env);
    execution.held.set(jobId, assignment.fence);
    return assignment;
  }

  // After events are durable.

  private appended(executionId: string, events: readonly Event[]): void {
    const execution = this.live.get(executionId);
    if (execution === undefined) return;
    this.options.onEvents?.(executionId, events, execution.state);
    for (const event of events) {
      if (event.name === 'job.parked') this.watch(execution, event.iteration_id ?? event.step_run_id!);
      if (event.name === 'playbook.processed') this.finish(execution);
    }
  }

  private finish(execution: LiveExecution): void {
    const { state } = execution;
    this.live.delete(execution.id);
    this.withReady.delete(execution);
    this.timers.clearOf(execution.id);
    this.options.executor.ended?.(execution.id);
    this.ends.get(execution.id)?.resolve(state);
    this.ends.delete(execution.id);
    if (state.parent) this.wake(state.parent.execution_id, state.parent.job_id);
    for (const child of [...this.live.values()]) {
      if (child.state.parent?.execution_id !== execution.id) continue;
      const reason = `its caller ${execution.id} ended`;
      if (!isEnded(child.state)) this.turn(child, { type: 'CancelExecution', reason });
    }
  }

  private wake(executionId: string, jobId: string): void {
    const execution = this.live.get(executionId);
    if (execution && this.fault === undefined) this.turn(execution, { type: 'WakeJob', job_id: jobId });
  }

  private watch(execution: LiveExecution, jobId: string): void {
    const job = execution.state.jobs.get(jobId);
    if (job?.status !== 'parked') return;
    if (job.until !== null)
      this.timers.set(execution.id, jobId, job.until, () => this.wake(execution.id, jobId));
    if (job.child !== null && !this.live.has(job.child)) this.wake(execution.id, jobId);
  }

  private async watchParked(execution: LiveExecution): Promise<void> {
    const { timers, children } = outstanding(execution.state);
    for (const { job_id: jobId } of timers) this.watch(execution, jobId);
    for (const { job_id: jobId, child } of children) {
      await this.adopt(child);
      this.watch(execution, jobId);
    }
  }
}

function reportOf(assignment: Assignment, reports: JobReport[]): Command {
  return { type: 'ReportJob', job_id: assignment.job_id, fence: assignment.fence, reports };
}

function rowOf(state: State): Partial<ExecutionRow> {
  const row: Partial<ExecutionRow> = { status: state.status };
  if (state.ended_at !== undefined) row.ended_at = state.ended_at;
  if (state.error) row.error = state.error.message;
  return row;
}

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
