/** Timers of parked jobs. The log holds the times; these only call back. */
const LONGEST_MS = 2 ** 31 - 1;

export class Timers {
  private readonly timers = new Map<string, Map<string, NodeJS.Timeout>>();

  constructor(private readonly now: () => number) {}

  set(executionId: string, key: string, until: number, wake: () => void): void {
    let ofExecution = this.timers.get(executionId);
    if (ofExecution === undefined) {
      ofExecution = new Map();
      this.timers.set(executionId, ofExecution);
    }
    clearTimeout(ofExecution.get(key));
    const left = until - this.now();
    const again = () => {
      ofExecution.delete(key);
      if (ofExecution.size === 0) this.timers.delete(executionId);
      if (until > this.now()) this.set(executionId, key, until, wake);
      else wake();
    };
    ofExecution.set(key, setTimeout(again, Math.min(Math.max(left, 0), LONGEST_MS)));
  }

  get size(): number {
    return this.timers.size;
  }

  /** Clears all timers of an execution, or those whose key matches. */
  clearOf(executionId: string, isMeant: (key: string) => boolean = () => true): void {
    const ofExecution = this.timers.get(executionId);
    for (const [key, timer] of ofExecution ?? []) {
      if (!isMeant(key)) continue;
      clearTimeout(timer);
      ofExecution?.delete(key);
    }
    if (ofExecution?.size === 0) this.timers.delete(executionId);
  }

  clear(): void {
    for (const executionId of [...this.timers.keys()]) this.clearOf(executionId);
  }
}
