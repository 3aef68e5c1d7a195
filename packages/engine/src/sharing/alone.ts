/**
 * A process that has its executions to itself: they stay in memory until they end, and nobody else writes to them. If
 * the store fails, the engine fails too, and `woof resume` continues later.
 *
 * Invariant: nothing is retried. `find` takes over what the log has, in this process or in the next one.
 */
import { isEnded, type Job, outstanding, type State } from '@woof/net';
import { StoreError } from '@woof/stores';
import type { Decisions } from '../decisions.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { Family } from '../family.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { LiveExecution } from '../live-execution.ts';
import type { Loading } from '../loading.ts';
import type { LoopResults } from '../loop-results.ts';
import { NotAtHand } from '../not-at-hand.ts';
import type { Orphans } from '../orphans.ts';
import type { Parking } from '../parking.ts';
import type { DriverNames, Sharing } from './sharing.ts';

export interface AloneParts {
  readonly options: Pick<EngineOptions, 'owner' | 'onFault'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly commit: Pick<GroupCommit, 'fail' | 'saved'>;
  readonly decisions: Pick<Decisions, 'offer' | 'turn'>;
  readonly family: Pick<Family, 'wake'>;
  readonly loading: Pick<Loading, 'enter' | 'loaded'>;
  readonly loopResults: Pick<LoopResults, 'joinAll'>;
  readonly orphans: Pick<Orphans, 'cancelOf' | 'endWithCaller'>;
  readonly parking: Pick<Parking, 'look' | 'watchAll'>;
}

export class Alone implements Sharing {
  readonly names: DriverNames;
  readonly resting = 0;
  readonly lastUnwritten = undefined;

  constructor(private readonly parts: AloneParts) {
    this.names = { row: parts.options.owner, log: undefined };
  }

  // Executions that are not in memory.

  /** An execution that is not live here has ended, or must be found first. */
  load(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Takes over an execution whose process ended: its leased jobs are expired and handed out again. */
  async find(executionId: string): Promise<State | undefined> {
    const { live, loading, decisions, orphans, parking, loopResults, commit } = this.parts;
    const known = live.get(executionId);
    if (known) return known.state;
    const state = await loading.loaded(executionId);
    if (state !== undefined && isEnded(state)) await orphans.cancelOf(executionId);
    if (state === undefined || isEnded(state)) return state;
    const execution = await loading.enter(state);
    this.expireAll(execution);
    if (state.status === 'paused') decisions.turn(execution, { type: 'ResumeExecution' });
    parking.look(execution);
    for (const { child } of outstanding(state).children) await this.find(child);
    parking.watchAll(execution);
    loopResults.joinAll(execution);
    decisions.offer(execution);
    if (state.parent) await orphans.endWithCaller(executionId, state.parent.execution_id);
    await commit.saved();
    return state;
  }

  private expireAll(execution: LiveExecution): void {
    for (const job of [...execution.state.jobs.values()]) {
      if (job.status !== 'leased') continue;
      const reason = 'the process that ran the job ended';
      this.parts.decisions.turn(execution, { type: 'ExpireJob', job_id: job.id, fence: job.fence, reason });
    }
  }

  /** Nobody drives an execution that is not in memory. */
  send(): void {}

  // What may differ between memory and store.

  isCurrent(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Its workload does not go to another process. */
  workloadFault(): undefined {
    return undefined;
  }

  // Waiting executions.

  watchChild({ id }: LiveExecution, { id: jobId, child, human }: Job): void {
    const { live, family } = this.parts;
    const called = live.get(child!);
    const isKnown = called && (called.state.status === 'needs_human') === (human !== null);
    if (!isKnown) family.wake(id, jobId);
  }

  lookAtChild(): void {}

  complete(): void {}

  rest(): void {}

  clear(): void {}

  // Failures and retries.

  isPassing(): boolean {
    return false;
  }

  written(): void {}

  brokeOff(_: LiveExecution, error: unknown): void {
    this.parts.commit.fail(error);
  }

  notLeased(_: LiveExecution, error: unknown): void {
    throw error;
  }

  /**
   * Only a process that claimed an execution writes to it. So if another one does, it has reason to believe that this
   * process is gone.
   */
  overtaken(executionId: string): void {
    const message = `another process has written to run ${executionId}, so this process stops. To see the run, use: woof show ${executionId}`;
    this.parts.commit.fail(new StoreError('busy', message));
  }

  again(executionId: string, error: unknown): void {
    if (error !== undefined && !(error instanceof NotAtHand))
      this.parts.options.onFault?.(executionId, error);
  }

  later(_: string, __: string, error: unknown): void {
    this.parts.commit.fail(error);
  }

  settled(): void {}
}
