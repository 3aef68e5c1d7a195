/**
 * How an execution comes from the store into memory.
 *
 * Owns: reading it once, however many ask, and what becomes of one that is too large. Does not own: folding (replay.ts).
 */
import { isEnded, outstanding, type State } from '@woof/net';
import { isLocalDriver } from '@woof/stores';
import { endAlone } from './abandon.ts';
import type { Bounds } from './bounds.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Failures } from './failures.ts';
import type { Family } from './family.ts';
import type { GroupCommit } from './group-commit.ts';
import { LiveExecution } from './live-execution.ts';
import type { LoopResults } from './loop-results.ts';
import type { Parking } from './parking.ts';
import { loadState, sourceOf, TooLargeToLoad } from './replay.ts';
import { takeLeft } from './take-left.ts';

export interface LoadingParts {
  readonly options: Pick<EngineOptions, 'driver' | 'isDriving' | 'store' | 'onFault' | 'onTaken'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly bounds: Pick<Bounds, 'limits'>;
  readonly commit: Pick<GroupCommit, 'saved'>;
  readonly decisions: Pick<Decisions, 'enter' | 'offer' | 'turn'>;
  readonly failures: Pick<Failures, 'giveUp'>;
  readonly family: Pick<Family, 'cancelOrphans' | 'endWithCaller' | 'lookSoon'>;
  readonly loopResults: Pick<LoopResults, 'joinAll'>;
  readonly parking: Pick<Parking, 'look' | 'watchAll' | 'woken'>;
}

export class Loading {
  private readonly loading = new Map<string, Promise<LiveExecution | undefined>>();

  constructor(private readonly parts: LoadingParts) {}

  /** As the store has it; only its end where all of it could bring the process down, else it rejects with TooLargeToLoad. */
  async stored(executionId: string): Promise<State | undefined> {
    const { store } = this.parts.options;
    try {
      return await loadState(store, executionId, { limits: this.parts.bounds.limits });
    } catch (error) {
      const end = error instanceof TooLargeToLoad ? await endAlone(store, executionId) : undefined;
      if (end === undefined) throw error;
      return end;
    }
  }

  /** The same, but what could bring this process down is ended instead. */
  async loaded(executionId: string): Promise<State | undefined> {
    try {
      return await this.stored(executionId);
    } catch (error) {
      if (!(error instanceof TooLargeToLoad)) throw error;
      this.parts.options.onFault?.(executionId, error);
      return this.parts.failures.giveUp(executionId, error);
    }
  }

  private async enter(state: State): Promise<LiveExecution> {
    const execution = new LiveExecution(state, await sourceOf(this.parts.options.store, state.execution_id));
    this.parts.decisions.enter(execution);
    return execution;
  }

  /** Takes over an execution whose process ended: what it had leased is expired and given out again. */
  async adopt(executionId: string): Promise<State | undefined> {
    const { live, decisions, family, parking, loopResults, commit } = this.parts;
    const known = live.get(executionId);
    if (known) return known.state;
    const state = await this.loaded(executionId);
    if (state !== undefined && isEnded(state)) await family.cancelOrphans(executionId);
    if (state === undefined || isEnded(state)) return state;
    const execution = await this.enter(state);
    for (const job of [...state.jobs.values()]) {
      if (job.status !== 'leased') continue;
      const reason = 'the process that ran the job ended';
      decisions.turn(execution, { type: 'ExpireJob', job_id: job.id, fence: job.fence, reason });
    }
    if (state.status === 'paused') decisions.turn(execution, { type: 'ResumeExecution' });
    parking.look(execution);
    for (const { child } of outstanding(state).children) await this.adopt(child);
    parking.watchAll(execution);
    loopResults.joinAll(execution);
    decisions.offer(execution);
    if (state.parent) await family.endWithCaller(executionId, state.parent.execution_id);
    await commit.saved();
    return state;
  }

  /** Only with a driver: alone, an execution that is not live here has ended or must be adopted. */
  load(executionId: string): Promise<LiveExecution | undefined> {
    const { driver } = this.parts.options;
    if (driver === undefined) return Promise.resolve(undefined);
    let loading = this.loading.get(executionId);
    if (loading === undefined) {
      loading = this.read(executionId, driver).finally(() => this.loading.delete(executionId));
      this.loading.set(executionId, loading);
    }
    return loading;
  }

  private async read(executionId: string, driver: string): Promise<LiveExecution | undefined> {
    const { options, loopResults, parking, decisions } = this.parts;
    const row = await options.store.execution(executionId);
    if (row === undefined || row.ended_at !== undefined) return undefined;
    if (isLocalDriver(row.driver)) await takeLeft(options, executionId, row.driver);
    const state = await this.loaded(executionId);
    if (state === undefined || isEnded(state)) return undefined;
    const execution = await this.enter(state);
    loopResults.joinAll(execution);
    parking.woken(executionId);
    execution.due = row.due_at ?? null;
    execution.offered = row.wants == null ? undefined : 'by an earlier driver';
    if (state.driver !== driver) this.takeOver(execution, driver, state.driver);
    decisions.offer(execution);
    return execution;
  }

  private takeOver(execution: LiveExecution, driver: string, from: string | undefined): void {
    const { options, decisions, family } = this.parts;
    execution.changeRow({ driver });
    execution.withdraw();
    decisions.turn(execution, { type: 'DriveExecution', driver });
    if (from !== undefined) options.onTaken?.(execution.id, from, execution.state.seq);
    // The driver before may have been told that a child ended, and not have come to look.
    family.lookSoon(execution);
  }
}
