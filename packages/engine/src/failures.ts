/**
 * What happens when the store does not accept something, or a decision breaks off.
 *
 * Owns: what is forgotten, what is given up, and when nothing more is decided. Does not own: what is retried, and when
 * (sharing/, retries.ts); which frames the store refused (group-commit.ts).
 * Invariants:
 * - What is in memory but not in the log is forgotten before anything else is decided on it.
 * - Once the store has failed for good, what was acknowledged is in the log, and nothing is added.
 */
import { NO_LONGER_WANTED, type State } from '@woof/net';
import { abandon } from './abandon.ts';
import type { AfterCommit } from './after-commit.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Sharing } from './sharing/sharing.ts';
import type { Timers } from './timers.ts';

export interface FailureParts {
  readonly options: Pick<EngineOptions, 'executor' | 'store' | 'onFailed' | 'onFault'>;
  readonly now: () => number;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly timers: Timers;
  readonly decisions: Pick<Decisions, 'letGo'>;
  readonly afterCommit: Pick<AfterCommit, 'concluded' | 'failed'>;
  readonly sharing: Pick<Sharing, 'again' | 'brokeOff' | 'clear' | 'isPassing' | 'overtaken' | 'settled'>;
}

export class Failures {
  /** Why nothing more is decided. */
  fault: unknown;

  constructor(private readonly parts: FailureParts) {}

  // Failures of the store as a whole.

  /** True if the engine continues although the store did not accept something. */
  isPassing(error: unknown): boolean {
    return isTooLong(error) || this.parts.sharing.isPassing(error);
  }

  /** The store failed for good: the commit reports it once. */
  failed(error: unknown): void {
    const { options, timers, sharing, live, afterCommit } = this.parts;
    this.fault = error;
    options.onFailed?.(error);
    timers.clear();
    sharing.clear();
    for (const execution of live.values()) this.abort(execution, 'the store failed');
    afterCommit.failed(error);
  }

  // Failures of one execution.

  /** A decision broke off halfway. */
  brokeOff(execution: LiveExecution, error: unknown): void {
    if (isTooLong(error)) this.lost(execution, error);
    else this.parts.sharing.brokeOff(execution, error);
  }

  /** The store did not accept its frame, or may not have; without an error, another writer was faster. */
  lost(execution: LiveExecution, error: unknown): void {
    const { options, sharing } = this.parts;
    if (error === undefined) sharing.overtaken(execution.id);
    this.lose(execution, error);
    if (!isTooLong(error)) return;
    options.onFault?.(execution.id, error);
    this.giveUp(execution.id, error, execution).catch((failure: unknown) =>
      sharing.again(execution.id, failure),
    );
  }

  /** What is in memory differs, or may differ, from the log. */
  forget(execution: LiveExecution): void {
    if (execution.phase.is !== 'lost') this.lose(execution, undefined);
  }

  private lose(execution: LiveExecution, by: unknown): void {
    if (!execution.lose(by)) return;
    this.parts.decisions.letGo(execution);
    this.parts.sharing.again(execution.id, undefined);
  }

  /** Nothing can be done with the execution: it has failed. `last`: its last version in memory. */
  async giveUp(
    executionId: string,
    error: unknown,
    last = this.parts.live.get(executionId),
  ): Promise<State | undefined> {
    const { options, now, decisions, sharing, afterCommit } = this.parts;
    if (last) {
      last.end();
      decisions.letGo(last);
      this.abort(last, NO_LONGER_WANTED);
    }
    const message = `Woof cannot continue this run: ${(error as Error).message}`;
    const why = { kind: 'unknown', retryable: false, code: 'run/abandoned', message } as const;
    const state = await abandon(options.store, executionId, why, now());
    sharing.settled(executionId);
    if (state === undefined) return undefined;
    if (last?.state.parent) state.parent = last.state.parent;
    afterCommit.concluded({ id: executionId, state, children: last?.children ?? new Set() });
    return state;
  }

  private abort({ id, held }: LiveExecution, reason: string): void {
    for (const jobId of held.keys()) this.parts.options.executor.abort(id, jobId, reason);
  }
}

/** The text of a frame, or of a value in it, would be longer than V8 allows. */
function isTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isText = error instanceof RangeError && error.message === 'Invalid string length';
  return isText || (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG';
}
