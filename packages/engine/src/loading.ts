/**
 * How an execution is loaded from the store into memory.
 *
 * Owns: what happens to one that is too large to load. Does not own: folding (replay.ts), which executions this process
 * may take, and what it does with them (sharing/).
 */
import type { State } from '@woof/net';
import { endAlone } from './abandon.ts';
import type { Bounds } from './bounds.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Failures } from './failures.ts';
import { LiveExecution } from './live-execution.ts';
import { loadState, sourceOf, TooLargeToLoad } from './replay.ts';

export interface LoadingParts {
  readonly options: Pick<EngineOptions, 'store' | 'onFault'>;
  readonly bounds: Pick<Bounds, 'limits'>;
  readonly decisions: Pick<Decisions, 'enter'>;
  readonly failures: Pick<Failures, 'giveUp'>;
}

export class Loading {
  constructor(private readonly parts: LoadingParts) {}

  /**
   * The state as stored. If loading it could bring the process down, returns only its end, or rejects with
   * TooLargeToLoad if it has not ended.
   */
  async stored(executionId: string): Promise<State | undefined> {
    const { options, bounds } = this.parts;
    try {
      return await loadState(options.store, executionId, { limits: bounds.limits });
    } catch (error) {
      const end = error instanceof TooLargeToLoad ? await endAlone(options.store, executionId) : undefined;
      if (end === undefined) throw error;
      return end;
    }
  }

  /** The same, but an execution that could bring this process down is ended instead. */
  async loaded(executionId: string): Promise<State | undefined> {
    try {
      return await this.stored(executionId);
    } catch (error) {
      if (!(error instanceof TooLargeToLoad)) throw error;
      this.parts.options.onFault?.(executionId, error);
      return this.parts.failures.giveUp(executionId, error);
    }
  }

  /** Makes the execution live here. */
  async enter(state: State): Promise<LiveExecution> {
    const { options, decisions } = this.parts;
    const execution = new LiveExecution(state, await sourceOf(options.store, state.execution_id));
    decisions.enter(execution);
    return execution;
  }
}
