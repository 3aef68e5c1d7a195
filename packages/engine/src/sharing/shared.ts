/**
 * A server among servers: any of them may write to any execution, and the `seq` that an append expects decides who was
 * first. An execution that only waits leaves memory, and its row says when it is due. An unavailable store may recover.
 *
 * Owns: taking executions over, letting them rest, and what follows when the store refuses. Does not own: when
 * something is retried (retries.ts), which executions a server should look after (upkeep.ts).
 * Invariants:
 * - At most one object per execution is in memory, however many callers ask for it at once.
 * - A resting execution has nothing unsaved, and its row says when it is due.
 * - What became this server's and failed is retried until it succeeds or belongs to another.
 */
import { type Command, isEnded, type JsonObject, outstanding, type State } from '@woof/net';
import { isLocalDriver } from '@woof/stores';
import type { AfterCommit } from '../after-commit.ts';
import type { Decisions } from '../decisions.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { Failures } from '../failures.ts';
import type { Family } from '../family.ts';
import type { LiveExecution } from '../live-execution.ts';
import type { Loading } from '../loading.ts';
import type { LoopResults } from '../loop-results.ts';
import type { Parking } from '../parking.ts';
import { Resting } from '../resting.ts';
import { Retries, type RetryParts } from '../retries.ts';
import { takeLeft } from '../take-left.ts';
import { workloadFault } from '../workload-limit.ts';
import type { DriverNames, Sharing } from './sharing.ts';

export interface SharedParts extends RetryParts {
  readonly options: Pick<EngineOptions, 'isDriving' | 'store' | 'onFault' | 'onTaken'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly afterCommit: Pick<AfterCommit, 'isAwaited'>;
  readonly decisions: Pick<Decisions, 'command' | 'drive' | 'driveSurely' | 'letGo' | 'offer' | 'turn'>;
  readonly failures: Pick<Failures, 'forget' | 'giveUp'>;
  readonly family: Pick<Family, 'lookAtSoon' | 'lookSoon' | 'send'>;
  readonly loading: Pick<Loading, 'enter' | 'loaded'>;
  readonly loopResults: Pick<LoopResults, 'joinAll'>;
  readonly parking: Pick<Parking, 'unwatch'>;
}

export class Shared implements Sharing {
  readonly names: DriverNames;
  private readonly loading = new Map<string, Promise<LiveExecution | undefined>>();
  private readonly idle: Resting;
  private readonly retries: Retries;

  constructor(
    private readonly parts: SharedParts,
    private readonly driver: string,
  ) {
    this.names = { row: driver, log: driver };
    this.idle = new Resting(parts.now, (id) => void parts.decisions.driveSurely(id));
    this.retries = new Retries(parts, driver);
  }

  // Executions that are not in memory.

  load(executionId: string): Promise<LiveExecution | undefined> {
    let loading = this.loading.get(executionId);
    if (loading === undefined) {
      loading = this.read(executionId).finally(() => this.loading.delete(executionId));
      this.loading.set(executionId, loading);
    }
    return loading;
  }

  private async read(executionId: string): Promise<LiveExecution | undefined> {
    const { options, loading, loopResults, parking, decisions } = this.parts;
    const row = await options.store.execution(executionId);
    if (row === undefined || row.ended_at !== undefined) return undefined;
    if (isLocalDriver(row.driver))
      await takeLeft(options, executionId, { from: row.driver, to: this.driver });
    const state = await loading.loaded(executionId);
    if (state === undefined || isEnded(state)) return undefined;
    const execution = await loading.enter(state);
    loopResults.joinAll(execution);
    parking.unwatch(executionId);
    this.idle.remove(executionId);
    execution.due = row.due_at ?? null;
    execution.offered = row.wants == null ? undefined : 'by an earlier driver';
    if (state.driver !== this.driver) this.takeOver(execution, state.driver);
    decisions.offer(execution);
    return execution;
  }

  private takeOver(execution: LiveExecution, from: string | undefined): void {
    const { driver } = this;
    const { decisions, options, family } = this.parts;
    execution.changeRow({ driver });
    execution.withdraw();
    decisions.turn(execution, { type: 'DriveExecution', driver });
    if (from !== undefined) options.onTaken?.(execution.id, from, execution.state.seq);
    // The previous driver may have been told that a child ended, and not have checked.
    family.lookSoon(execution);
  }

  /** Whoever drives it continues it. */
  find(executionId: string): Promise<State | undefined> {
    return this.parts.loading.loaded(executionId);
  }

  send(executionId: string, command: Command): void {
    const { decisions, family } = this.parts;
    const again = () => family.send(executionId, command);
    decisions.command(executionId, command).then(
      () => this.retries.cameThrough(executionId),
      (error: unknown) => this.retries.later(executionId, `send ${nameOf(command)}`, error, again),
    );
  }

  // What may differ between memory and store.

  async isCurrent(execution: LiveExecution): Promise<boolean> {
    const { options, failures } = this.parts;
    for await (const _ of options.store.read(execution.id, execution.state.seq)) {
      failures.forget(execution);
      return false;
    }
    return true;
  }

  workloadFault(workload: JsonObject): string | undefined {
    return workloadFault(workload);
  }

  // Waiting executions.

  /** `lookAtChild` asks the store, and so does a server that starts to drive it. */
  watchChild(): void {}

  lookAtChild(execution: LiveExecution, jobId: string): void {
    this.parts.family.lookAtSoon(execution, jobId);
  }

  /** Written with the frame that lets an execution rest: when it must be checked again, and whom its end wakes. */
  complete(execution: LiveExecution): void {
    const { state } = execution;
    if (isEnded(state)) {
      if (state.parent) execution.wakes = [state.parent.execution_id];
      if (execution.offered !== undefined) execution.withdraw();
      return;
    }
    if (state.parent && execution.tellsCaller) execution.wakes = [state.parent.execution_id];
    const due = execution.isIdle ? nextDue(state) : null;
    if (due === execution.due) return;
    execution.due = due;
    execution.changeRow({ due_at: due });
  }

  /** An execution that only waits needs no memory: its row says when it is due. */
  rest(execution: LiveExecution): void {
    const { live, decisions, afterCommit, parking, dispatch } = this.parts;
    // Nothing would wake it any more.
    if (dispatch.isClosed) return;
    if (execution.phase.is !== 'live' || execution.hasUnsaved || !execution.isIdle) return;
    // An execution that was started while it was being read has another object.
    if (live.get(execution.id) !== execution || afterCommit.isAwaited(execution.id)) return;
    execution.rest();
    decisions.letGo(execution);
    parking.unwatch(execution.id);
    const due = nextDue(execution.state);
    if (due !== null) this.idle.add(execution.id, due);
  }

  get resting(): number {
    return this.idle.size;
  }

  clear(): void {
    this.idle.clear();
  }

  // Failures and retries.

  /** Others may still reach the store, and this server may later. */
  isPassing(error: unknown): boolean {
    this.retries.refused(error);
    return true;
  }

  written(): void {
    this.retries.taken();
  }

  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.retries.lastUnwritten;
  }

  brokeOff(execution: LiveExecution): void {
    this.parts.failures.forget(execution);
  }

  notLeased(execution: LiveExecution): void {
    this.parts.failures.forget(execution);
  }

  /** It is loaded again, and the command is decided again. */
  overtaken(): void {}

  again(executionId: string, error: unknown): void {
    this.retries.again(executionId, error);
  }

  later(executionId: string, what: string, error: unknown, act: () => void): void {
    this.retries.later(executionId, what, error, act);
  }

  settled(executionId: string): void {
    this.retries.cameThrough(executionId);
  }
}

/** Commands about different jobs are tried again each. */
const nameOf = (command: Command): string =>
  'job_id' in command ? `${command.type} ${command.job_id}` : command.type;

function nextDue(state: State): number | null {
  if (state.status === 'paused') return null;
  let due: number | null = null;
  for (const { until } of outstanding(state).timers) due = Math.min(due ?? until, until);
  return due;
}
