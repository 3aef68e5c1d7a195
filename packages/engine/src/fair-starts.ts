/**
 * Nested runs begin one per tick of the event loop, and their outermost runs take turns. If other runs are driven here,
 * only a few nested runs of one run begin before the log has the earlier ones, so that a run that calls endlessly
 * leaves room in every commit for the others.
 */
import type { FairTicks } from './fair-ticks.ts';

/**
 * The most starts of one run that are not in the log yet, if other runs are driven here. Measured beside endless calls:
 * p99 of a short run falls by a quarter. A loop of nested runs alone would take a third longer.
 */
const STARTS_BESIDE_OTHERS = 4;

export class FairStarts {
  /** By outermost run. */
  private readonly underWay = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    private readonly ticks: FairTicks,
    private readonly hasOthers: (root: string) => boolean,
    /** No start of some run waits any more. */
    private readonly onNoneWaits: () => void = () => {},
  ) {}

  /** True if starts of the run wait until the log has earlier ones. */
  hasWaiting(root: string): boolean {
    return this.waiting.has(root);
  }

  /** Starts it when it is the run's turn. */
  async start<T>(root: string, begin: () => Promise<T>): Promise<T> {
    await this.enter(root);
    try {
      await this.ticks.turn(root);
      return await begin();
    } finally {
      this.leave(root);
    }
  }

  private async enter(root: string): Promise<void> {
    const count = this.underWay.get(root) ?? 0;
    if (count < STARTS_BESIDE_OTHERS || !this.hasOthers(root)) {
      this.underWay.set(root, count + 1);
      return;
    }
    const queue = this.waiting.get(root) ?? [];
    this.waiting.set(root, queue);
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** The place goes to whoever waits longest. */
  private leave(root: string): void {
    const queue = this.waiting.get(root);
    const next = queue?.shift();
    if (queue?.length === 0) {
      this.waiting.delete(root);
      this.onNoneWaits();
    }
    if (next) next();
    else this.forgetOne(root);
  }

  private forgetOne(root: string): void {
    const count = (this.underWay.get(root) ?? 1) - 1;
    if (count === 0) this.underWay.delete(root);
    else this.underWay.set(root, count);
  }
}
