/**
 * The engine: command → turn of the net → one frame → durable → dispatch.
 *
 * Owns: what its callers can ask of it. Its parts do the rest (parts.ts): decisions.ts decides, group-commit.ts makes durable,
 * dispatch.ts gives out jobs, after-commit.ts tells who waits, failures.ts looks after what the store did not take. Does
 * not own: rules (net), tools (worker), documents.
 * Invariants:
 * - An effect starts only when all that led to it is durable. What only computes may run ahead of the disk.
 * - What the log did not take is forgotten: the execution is read again, and what was asked is decided anew.
 * - When the store fails for good, nothing more is decided: what was acknowledged stands in the log.
 *
 * With a `driver` the engine is a server among servers, without one it is alone on its store: sharing/ has the difference.
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
  /** What workers of other processes hold. */
  readonly leases: Leases;

  constructor(private readonly options: EngineOptions) {
    this.parts = new Parts(options);
    this.leases = this.parts.leases;
  }

  /** Durable when it resolves. An execution of that id that exists is left as it is. */
  start(request: StartRequest): Promise<string> {
    return this.parts.starts.start(request);
  }

  /** Of an engine that is alone: takes over an execution whose process ended. What it had leased is given out again. */
  adopt(executionId: string): Promise<State | undefined> {
    return this.parts.sharing.find(executionId);
  }

  /** Durable when it resolves; gives the refusal where there is one. */
  command(executionId: string, command: Command): Promise<Refusal | undefined> {
    return this.parts.decisions.command(executionId, command);
  }

  /** Resolves with the state when it has ended or waits for a person; rejects when the store fails. */
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

  /** As the store has it; only its end where all of it could bring the process down, else it rejects with TooLargeToLoad. */
  storedState(executionId: string): Promise<State | undefined> {
    return this.parts.loading.stored(executionId);
  }

  /** Folds the stored log from its first event on, whatever snapshots there are. */
  replay(executionId: string, onEvent: OnEvent): Promise<State | undefined> {
    const { limits } = this.parts.bounds;
    return loadState(this.options.store, executionId, { snapshot: false, limits, onEvent });
  }

  /** Throws where a stored value is larger than anybody may read here. */
  checkLoadable(reference: Reference): void {
    this.parts.values.check(reference);
  }

  /** Gives out no further job and waits for what is under way; timers end. */
  async close(): Promise<void> {
    const { dispatch, timers, sharing, commit, documents, orphans } = this.parts;
    dispatch.close();
    timers.clear();
    sharing.clear();
    await commit.idle();
    await orphans.idle();
    await commit.idle();
    await documents.idle();
  }

  /** What the stopped worker of this process was at is given back: whoever goes on with it has lost nothing. */
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

  /** Called by the executor when a slot became free. */
  slotFreed(): void {
    const { dispatch, commit } = this.parts;
    dispatch.retry();
    if (dispatch.hasWork) commit.schedule();
  }

  // What several servers need of it.

  /** Takes an execution over where it is another's, and goes on with it; tried again until it comes through. */
  driveSurely(executionId: string): Promise<void> {
    return this.parts.decisions.driveSurely(executionId);
  }

  /** Another server wrote to it: what is here is old. */
  taken(executionId: string, seq: number): void {
    const execution = this.parts.live.get(executionId);
    if (execution && execution.durable < seq) this.parts.failures.forget(execution);
  }

  /** Everything that waits for a worker here. */
  waiting(): Iterable<LiveExecution> {
    return this.parts.dispatch.waiting();
  }

  /** Says in the store which workers an execution wants. Resolves when that is in the store, or lost. */
  want(execution: LiveExecution, wants: JsonObject): Promise<void> {
    const { commit } = this.parts;
    execution.changeRow({ wants });
    commit.add(execution, []);
    return commit.saved();
  }

  /** Why it decides nothing more. */
  get failure(): unknown {
    return this.parts.failures.fault;
  }

  /** The last thing that the store did not take, and when; undefined since it took one. */
  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.parts.sharing.lastUnwritten;
  }

  /** All executions together hold more than they may: none should be started. */
  get isFull(): boolean {
    return this.parts.bounds.isFull;
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
