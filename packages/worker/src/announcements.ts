/**
 * Tells that a task has started, where it takes a while: one timer for all, since to a short task a timer of its own is a
 * large part of what it costs.
 */
export interface Announced {
  tellStarted(): void;
}

/** Told after one to two of these. A short task, as most are, pays one commit instead of two; nobody misses its progress. */
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
