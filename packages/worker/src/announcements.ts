/**
 * Reports that a task has started, but only if the task takes a while. One timer serves all tasks, because a timer of
 * its own would be a large part of the cost of a short task.
 */
export interface Announced {
  tellStarted(): void;
}

/**
 * A start is reported after one to two sweeps. Most tasks are shorter: they need one commit instead of two, and nobody
 * misses their progress.
 */
const SWEEP_MS = 10;

export class Announcements {
  private young = new Set<Announced>();
  private old = new Set<Announced>();
  private timer: NodeJS.Timeout | undefined;

  add(announced: Announced): void {
    this.young.add(announced);
    if (this.timer === undefined) this.schedule();
  }

  remove(announced: Announced): void {
    if (!this.young.delete(announced)) this.old.delete(announced);
  }

  private schedule(): void {
    this.timer = setTimeout(() => this.sweep(), SWEEP_MS).unref();
  }

  private sweep(): void {
    const told = this.old;
    this.old = this.young;
    this.young = new Set();
    this.timer = undefined;
    if (this.old.size > 0) this.schedule();
    for (const announced of told) announced.tellStarted();
  }
}
