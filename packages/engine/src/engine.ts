/**
 * The engine: command → turn of the net → one frame → durable → dispatch.
 *
 * Owns: what its callers can ask of it. Its parts do the rest (parts.ts): decisions.ts decides, group-commit.ts makes
 * events durable, dispatch.ts hands out jobs, after-commit.ts notifies waiters, failures.ts handles what the store did
 * not accept. Does not own: rules (net), tools (worker), documents.
 * Invariants:
 * - An effect starts only when everything that led to it is durable. A task that only computes may run ahead of the
 *   disk.
 * - What the log did not accept is forgotten: the execution is loaded again, and the command is decided again.
 * - When the store fails for good, nothing more is decided: what was acknowledged is in the log.
 *
 * With a `driver`, the engine is one server among several; without one, it is alone on its store. sharing/ contains the
 * difference.
 */
import type {
  Assignment,
  ChildAnswer,
  ChildRequest,
  Command,
  JsonObject,
  Reference,
  Refusal,
  State,
} from '@woof/net';
import type { EngineOptions, StartRequest } from './engine-options.ts';
import type { Leases } from './leases.ts';
import type { LiveExecution } from './live-execution.ts';
import { reportOf } from './local-port.ts';
import { Parts } from './parts.ts';
import { loadState, type OnEvent } from './replay.ts';

export class Engine {
  private readonly parts: Parts;
  /** The jobs that workers of other processes hold. */
  readonly leases: Leases;

  constructor(private readonly options: EngineOptions) {
    this.parts = new Parts(options);
    this.leases = this.parts.leases;
  }

  /** Durable when it resolves. An existing execution with that id is left unchanged. */
  start(request: StartRequest): Promise<string> {
    return this.parts.starts.start(request);
  }

  /** For an engine that is alone: takes over an execution whose process ended. Its leased jobs are handed out again. */
  adopt(executionId: string): Promise<State | undefined> {
    return this.parts.sharing.find(executionId);
  }

  /** Durable when it resolves. Returns the refusal, if any. */
  command(executionId: string, command: Command): Promise<Refusal | undefined> {
    return this.parts.decisions.command(executionId, command);
  }

  /** Resolves with the state when the execution has ended or waits for a person; rejects if the store fails. */
  finished(executionId: string): Promise<State> {
    const { live, family, commit, afterCommit, failures } = this.parts;
    if (failures.fault !== undefined) return Promise.reject(failures.fault);
    const execution = live.get(executionId);
    if (execution === undefined)
      return Promise.reject(new Error(`this process does not drive run ${executionId}`));
    if (family.isAsking(execution)) return commit.saved().then(() => execution.state);
    return afterCommit.endOf(executionId);
  }

  stateOf(executionId: string): State | undefined {
    return this.parts.live.get(executionId)?.state;
  }

  /** The file of the document of a live execution. */
  fileOf(executionId: string): string | undefined {
    return this.parts.live.get(executionId)?.source.file;
  }

  /**
   * The state as stored. If loading it could bring the process down, returns only its end, or rejects with
   * TooLargeToLoad if it has not ended.
   */
  storedState(executionId: string): Promise<State | undefined> {
    return this.parts.loading.stored(executionId);
  }

  /** Folds the stored log from its first event, ignoring snapshots. */
  replay(executionId: string, onEvent: OnEvent): Promise<State | undefined> {
    const { limits } = this.parts.bounds;
    return loadState(this.options.store, executionId, { snapshot: false, limits, onEvent });
  }

  /** Throws if a stored value is larger than this process may read. */
  checkLoadable(reference: Reference): void {
    this.parts.values.check(reference);
  }

  /** Hands out no more jobs and waits for what is in progress; timers end. */
  async close(): Promise<void> {
    const { dispatch, longTurns, timers, sharing, commit, documents, orphans } = this.parts;
    dispatch.close();
    longTurns.close();
    timers.clear();
    sharing.clear();
    await commit.idle();
    await orphans.idle();
    await commit.idle();
    await documents.idle();
  }

  /** Hands back the jobs of this process's stopped worker, so that whoever continues the run has lost nothing. */
  async handBack(reason: string): Promise<void> {
    const { live, decisions, commit } = this.parts;
    for (const execution of [...live.values()]) {
      for (const [job_id, { fence }] of [...execution.held])
        decisions.guarded(
          execution,
          reportOf({ execution_id: execution.id, job_id, fence }, [{ type: 'released', reason }]),
        );
    }
    await commit.idle();
  }

  /** The executor calls this when a slot becomes free. */
  slotFreed(): void {
    const { dispatch, commit } = this.parts;
    dispatch.retry();
    if (dispatch.hasWork) commit.schedule();
  }

  // For servers that share a store.

  /** Takes over an execution that belongs to another server and continues it; retried until it succeeds. */
  driveSurely(executionId: string): Promise<void> {
    return this.parts.decisions.driveSurely(executionId);
  }

  /** Another server wrote to the execution: the copy here is out of date. */
  taken(executionId: string, seq: number): void {
    const execution = this.parts.live.get(executionId);
    if (execution && execution.durable < seq) this.parts.failures.forget(execution);
  }

  /** Everything that waits for a worker here. */
  waiting(): Iterable<LiveExecution> {
    return this.parts.dispatch.waiting();
  }

  /** True: it waits for other runs, not for a worker. */
  letsOthersGoFirst(execution: LiveExecution): boolean {
    return this.parts.dispatch.letsOthersGoFirst(execution);
  }

  /** Says in the store which workers an execution wants. Resolves when that is stored or lost. */
  want(execution: LiveExecution, wants: JsonObject): Promise<void> {
    const { commit } = this.parts;
    execution.changeRow({ wants });
    commit.add(execution, []);
    return commit.saved();
  }

  /** Why the engine decides nothing more. */
  get failure(): unknown {
    return this.parts.failures.fault;
  }

  /** The last write that the store did not accept, and when; undefined once it has accepted one. */
  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.parts.sharing.lastUnwritten;
  }

  /** True if all executions together hold more than they may: none should be started. */
  get isFull(): boolean {
    return this.parts.bounds.isFull;
  }

  /** A task in this process kept its thread for so long. Resolves when its job may continue; undefined: now. */
  took(executionId: string, ms: number): Promise<void> | undefined {
    return this.parts.longTurns.task(executionId, ms);
  }

  get counts(): { live: number; parked: number } {
    return { live: this.parts.live.size, parked: this.parts.sharing.resting };
  }

  // Nested playbooks.

  child(
    assignment: Pick<Assignment, 'execution_id' | 'job_id' | 'granted'>,
    request: ChildRequest,
  ): Promise<ChildAnswer> {
    return this.parts.family.child(assignment, request);
  }

  cancelChild(executionId: string, reason: string): Promise<void> {
    return this.parts.family.cancelChild(executionId, reason);
  }
}
