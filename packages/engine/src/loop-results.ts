/**
 * Joins the results of a long loop, which are stored in the blob store page by page, into one value.
 *
 * Owns: which loops are being joined. Does not own: when results become a page, or what the end of a loop means (net).
 * A crash loses nothing: the state says which loops wait to be joined.
 */
import { failure, isCollected, type LoopState, loopSummary, outstanding } from '@woof/net';
import { BlobError, joinPages } from '@woof/stores';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Sharing } from './sharing/sharing.ts';

export interface LoopResultsParts {
  readonly options: Pick<EngineOptions, 'blobs'>;
  readonly decisions: Pick<Decisions, 'command'>;
  readonly sharing: Pick<Sharing, 'later' | 'settled'>;
}

export class LoopResults {
  constructor(private readonly parts: LoopResultsParts) {}

  /** Joins all waiting loops of an execution. */
  joinAll(execution: LiveExecution): void {
    for (const { loop_id } of outstanding(execution.state).collected) this.join(execution, loop_id);
  }

  /** Does nothing if the loop is not complete, or is already being joined. */
  join(execution: LiveExecution, loopId: string): void {
    const loop = execution.state.loops.get(loopId);
    if (loop === undefined || !isCollected(loop) || execution.joining.has(loopId)) return;
    execution.joining.add(loopId);
    this.end(execution.id, loop).then(
      () => this.joined(execution, loopId),
      (error: unknown) => this.failed(execution, loopId, error),
    );
  }

  private async end(executionId: string, loop: LoopState): Promise<void> {
    await this.parts.decisions.command(executionId, {
      type: 'EndLoop',
      loop_id: loop.id,
      ...(await this.resultOf(loop)),
    });
  }

  private async resultOf(loop: LoopState) {
    try {
      return { result: await joinPages(this.parts.options.blobs, loop.stored, loopSummary(loop)) };
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      const why = `Woof cannot combine the results of the loop: ${error.message}`;
      return { error: failure('storage', why).error! };
    }
  }

  private joined(execution: LiveExecution, loopId: string): void {
    execution.joining.delete(loopId);
    this.parts.sharing.settled(execution.id);
  }

  private failed(execution: LiveExecution, loopId: string, error: unknown): void {
    this.parts.sharing.later(execution.id, `join ${loopId}`, error, () => {
      execution.joining.delete(loopId);
      this.join(execution, loopId);
    });
  }
}
