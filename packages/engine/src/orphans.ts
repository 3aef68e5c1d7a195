/**
 * Nested runs end with the run that called them.
 *
 * Owns: ending the nested runs that a caller leaves behind when it ends. Does not own: how they start and whom they
 * wake (family.ts).
 * Invariant: a nested run looks for its caller after its own start is durable, and a caller looks for its nested runs
 * after its own end is durable. So one of them always finds the other, even if no job of the caller waits for the
 * nested run.
 */
import type { Command } from '@woof/net';
import { everyExecution } from '@woof/stores';
import { callingSteps } from './calling-steps.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { FairTicks } from './fair-ticks.ts';
import type { Family } from './family.ts';
import { lineageOf, UNENDED } from './lineage.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Sharing } from './sharing/sharing.ts';

export interface OrphanParts {
  readonly options: Pick<EngineOptions, 'store'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly ticks: Pick<FairTicks, 'turn'>;
  readonly decisions: Pick<Decisions, 'command'>;
  readonly family: Pick<Family, 'send'>;
  readonly sharing: Pick<Sharing, 'find' | 'later'>;
}

type Caller = Pick<LiveExecution, 'id' | 'state' | 'children'>;

const NONE: ReadonlySet<string> = new Set();

export class Orphans {
  private readonly underWay = new Set<Promise<void>>();

  constructor(private readonly parts: OrphanParts) {}

  /** Resolves when all nested runs of callers that ended have been told. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  callerEnded(caller: Caller): void {
    if (callingSteps(caller.state.plan).size === 0) return;
    const again = (error: unknown) =>
      this.parts.sharing.later(caller.id, 'end nested runs', error, () => this.callerEnded(caller));
    const ended = this.endCalled(caller)
      .catch(again)
      .finally(() => this.underWay.delete(ended));
    this.underWay.add(ended);
  }

  /** A caller that ended while this run was being started, or was left behind, does not know of it. */
  async endWithCaller(id: string, caller: string): Promise<void> {
    const { options, live, decisions } = this.parts;
    if (live.has(caller)) return;
    const row = await options.store.execution(caller);
    if (row?.ended_at !== undefined) await decisions.command(id, endedBy(caller));
  }

  /**
   * Cancels the nested runs that the store knows. No job waits for some of them: the job was given back or failed just
   * after it had started the nested run, or the process died. `told`: those that were told before.
   */
  async cancelOf(caller: string, told = NONE): Promise<void> {
    const { options, live, sharing, decisions } = this.parts;
    for await (const { execution_id: id } of everyExecution(options.store, {
      status: UNENDED,
      parent: caller,
    })) {
      if (told.has(id)) continue;
      if (!live.has(id)) await sharing.find(id);
      await decisions.command(id, endedBy(caller));
    }
  }

  /** There may be thousands, most of which must be read from the store. */
  private async endCalled({ id, state, children }: Caller): Promise<void> {
    const { ticks, family } = this.parts;
    const { root } = lineageOf(id, state.parent);
    const told = new Set(children);
    for (const child of told) {
      await ticks.turn(root);
      family.send(child, endedBy(id));
    }
    await this.cancelOf(id, told);
  }
}

export const endedBy = (caller: string): Command => ({
  type: 'CancelExecution',
  reason: `its caller ${caller} ended`,
});
