/**
 * What follows once events are durable: listeners, waiters and callers are notified.
 *
 * Owns: who waits for the end of an execution. Does not own: when events are durable (group-commit.ts).
 */
import type { Event, State } from '@woof/net';
import type { Bounds } from './bounds.ts';
import type { Decisions } from './decisions.ts';
import { Deferred } from './deferred.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Family } from './family.ts';
import type { LiveExecution } from './live-execution.ts';
import type { LoopResults } from './loop-results.ts';
import type { Parking } from './parking.ts';
import type { Sharing } from './sharing/sharing.ts';
import type { Timers } from './timers.ts';

export interface AfterCommitParts {
  readonly options: Pick<EngineOptions, 'executor' | 'onEvents' | 'onFault'>;
  readonly bounds: Pick<Bounds, 'look'>;
  readonly timers: Timers;
  readonly decisions: Pick<Decisions, 'guarded' | 'letGo'>;
  readonly family: Pick<Family, 'asked' | 'ended' | 'forgetChildren'>;
  readonly loopResults: Pick<LoopResults, 'join'>;
  readonly parking: Pick<Parking, 'watch'>;
  readonly sharing: Pick<Sharing, 'lookAtChild' | 'rest' | 'written'>;
}

type Ended = Pick<LiveExecution, 'id' | 'state' | 'children'>;

export class AfterCommit {
  private readonly ends = new Map<string, Deferred<State>>();

  constructor(private readonly parts: AfterCommitParts) {}

  appended(execution: LiveExecution, events: readonly Event[]): void {
    const { sharing, bounds, decisions, family, loopResults } = this.parts;
    sharing.written();
    this.tell(execution, events);
    for (const event of events) {
      if (event.name === 'job.parked') this.parked(execution, jobIn(event));
      if (event.name === 'job.woken') family.forgetChildren(execution);
      if (event.name === 'loop.results.stored') loopResults.join(execution, jobIn(event));
      if (event.name === 'playbook.processed') this.finish(execution);
      // A timer may have woken it since.
      if (event.name === 'execution.needs_human' && execution.state.status === 'needs_human')
        this.resolveEnd(execution);
    }
    const tooLarge = bounds.look(execution, events.length);
    if (tooLarge) decisions.guarded(execution, tooLarge);
    family.asked(execution);
    sharing.rest(execution);
  }

  /** Resolves with the state when the execution has ended or waits for a person; rejects if the store fails. */
  endOf(executionId: string): Promise<State> {
    let end = this.ends.get(executionId);
    if (end === undefined) {
      end = new Deferred<State>();
      this.ends.set(executionId, end);
    }
    return end.promise;
  }

  /** True if somebody in this process waits for its end. */
  isAwaited(executionId: string): boolean {
    return this.ends.has(executionId);
  }

  /** The execution is over: notifies whoever waits for its end. */
  concluded(ended: Ended): void {
    this.parts.timers.clearOf(ended.id);
    this.parts.options.executor.ended?.(ended.id);
    this.resolveEnd(ended);
    this.parts.family.ended(ended);
  }

  failed(error: unknown): void {
    for (const end of this.ends.values()) end.reject(error);
  }

  private tell({ id, state, durable }: LiveExecution, events: readonly Event[]): void {
    const { onEvents, onFault } = this.parts.options;
    try {
      onEvents?.(id, events, state, durable - events.length);
    } catch (error) {
      // A listener must not be able to stop what it listens to.
      onFault?.(id, error);
    }
  }

  private finish(execution: LiveExecution): void {
    execution.end();
    this.parts.decisions.letGo(execution);
    this.concluded(execution);
  }

  private resolveEnd({ id, state }: Pick<Ended, 'id' | 'state'>): void {
    this.ends.get(id)?.resolve(state);
    this.ends.delete(id);
  }

  private parked(execution: LiveExecution, jobId: string): void {
    const { parking, sharing } = this.parts;
    parking.watch(execution, jobId);
    sharing.lookAtChild(execution, jobId);
  }
}

const jobIn = ({ iteration_id, step_run_id }: Event): string => iteration_id ?? step_run_id!;
