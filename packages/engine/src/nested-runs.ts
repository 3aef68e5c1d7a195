/**
 * How many nested runs of one run are under way, those of its nested runs included: a playbook that calls itself in a loop
 * would otherwise start more of them than any server can hold.
 *
 * Counts what this process started. Another server may have seen the end of some, so before a run is refused the store is
 * asked which of them are over.
 */
import { rootOf } from './ids.ts';

/** Asking costs a read a nested run, so it is not done for every one that is refused. */
const ASKED_EVERY_MS = 10_000;

export class NestedRuns {
  private readonly byRoot = new Map<string, { ids: Set<string>; askedAt: number }>();

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
    private readonly isOver: (executionId: string) => Promise<boolean>,
  ) {}

  /** False: there are too many. */
  async add(id: string): Promise<boolean> {
    const root = rootOf(id);
    const known = this.byRoot.get(root) ?? { ids: new Set<string>(), askedAt: 0 };
    this.byRoot.set(root, known);
    if (known.ids.size >= this.limit) await this.forgetEnded(known);
    if (known.ids.size >= this.limit) return false;
    known.ids.add(id);
    return true;
  }

  remove(id: string): void {
    const root = rootOf(id);
    const known = this.byRoot.get(root);
    known?.ids.delete(id);
    if (known?.ids.size === 0) this.byRoot.delete(root);
  }

  private async forgetEnded(known: { ids: Set<string>; askedAt: number }): Promise<void> {
    if (this.now() - known.askedAt < ASKED_EVERY_MS) return;
    known.askedAt = this.now();
    for (const id of [...known.ids]) if (await this.isOver(id)) known.ids.delete(id);
  }
}
