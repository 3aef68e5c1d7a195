/**
 * What failed on a server and is tried again.
 *
 * Owns: when something is retried, and what the store last refused. Does not own: what is retried (sharing/shared.ts).
 */
import { NewerVersion } from '@woof/net';
import { StoreError, type Values } from '@woof/stores';
import type { Decisions } from './decisions.ts';
import type { Dispatch } from './dispatch.ts';
import type { EngineOptions } from './engine-options.ts';
import { EngineRetryDelays } from './engine-retry-delays.ts';
import type { Failures } from './failures.ts';
import { NotAtHand } from './not-at-hand.ts';
import type { Timers } from './timers.ts';

const RELOAD_AFTER_MS = 50;
const RETRY_AFTER_MS = 1000;

export interface RetryParts {
  readonly options: Pick<EngineOptions, 'store' | 'onFault'>;
  readonly now: () => number;
  readonly timers: Pick<Timers, 'set'>;
  readonly values: Pick<Values, 'bring'>;
  readonly decisions: Pick<Decisions, 'drive'>;
  readonly dispatch: Pick<Dispatch, 'isClosed'>;
  readonly failures: Pick<Failures, 'giveUp'>;
}

/** A failure that is not the store's fault does not pass by waiting. */
const MOST_TRIES = 5;

export class Retries {
  private readonly delays = new EngineRetryDelays();
  private unwritten: { error: unknown; at: number } | undefined;

  constructor(
    private readonly parts: RetryParts,
    private readonly driver: string,
  ) {}

  /** The last write that the store did not accept, and when; undefined once it has accepted one. */
  get lastUnwritten(): { error: unknown; at: number } | undefined {
    return this.unwritten;
  }

  /** The store did not accept something, and may recover. */
  refused(error: unknown): void {
    this.unwritten = { error, at: this.parts.now() };
    this.parts.options.onFault?.('', error);
  }

  taken(): void {
    this.unwritten = undefined;
  }

  /** Looks at the execution again in a moment. By then it may belong to another server, which is fine. */
  again(executionId: string, error: unknown): void {
    const { options, timers, now, dispatch, failures } = this.parts;
    if (error !== undefined && !(error instanceof NotAtHand)) options.onFault?.(executionId, error);
    if (dispatch.isClosed) return;
    if (this.isHopeless(executionId, error)) {
      failures
        .giveUp(executionId, error)
        .catch((failure: unknown) =>
          this.later(executionId, 'give up', failure, () => this.again(executionId, error)),
        );
      return;
    }
    const soon = now() + (error === undefined ? RELOAD_AFTER_MS : this.delay(executionId, error));
    timers.set(executionId, 'again', soon, () => {
      this.retry(executionId, error).catch((failure: unknown) => this.again(executionId, failure));
    });
  }

  /** Does something else about the execution later. */
  later(executionId: string, what: string, error: unknown, act: () => void): void {
    const { options, timers, now, dispatch } = this.parts;
    options.onFault?.(executionId, error);
    if (dispatch.isClosed) return;
    timers.set(executionId, what, now() + this.delay(executionId, error), act);
  }

  /** Something about the execution succeeded. */
  cameThrough(executionId: string): void {
    this.delays.clear(executionId);
  }

  private async retry(executionId: string, error: unknown): Promise<void> {
    const { options, values, decisions } = this.parts;
    if (error instanceof NotAtHand) await values.bring(error.references);
    const row = await options.store.execution(executionId);
    if (row?.driver === this.driver) await decisions.drive(executionId);
    this.delays.clear(executionId);
  }

  private isHopeless(executionId: string, error: unknown): boolean {
    if (error === undefined || error instanceof NotAtHand || error instanceof StoreError) return false;
    // A newer server can continue it.
    if (error instanceof NewerVersion) return false;
    // What the machine lacks now, such as space or file handles, it may have later.
    const isOfMachine = /^E[A-Z]+$/.test(String((error as NodeJS.ErrnoException).code ?? ''));
    return !isOfMachine && this.delays.failures(executionId) >= MOST_TRIES;
  }

  /** A store recovers for all executions at once, so it is asked again soon. A fault of one execution may persist. */
  private delay(executionId: string, error: unknown): number {
    return error instanceof StoreError ? RETRY_AFTER_MS : this.delays.next(executionId);
  }
}
