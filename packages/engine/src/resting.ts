/** Executions that only wait for a clock: an id and a time each, with one timer for all of them. */
const LONGEST_MS = 2 ** 31 - 1;

export class Resting {
  private readonly due = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private next = Number.POSITIVE_INFINITY;

  constructor(
    private readonly now: () => number,
    private readonly wake: (executionId: string) => void,
  ) {}

  get size(): number {
    return this.due.size;
  }

  add(executionId: string, at: number): void {
    this.due.set(executionId, at);
    if (at < this.next) this.arm(at);
  }

  remove(executionId: string): void {
    this.due.delete(executionId);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.due.clear();
    this.next = Number.POSITIVE_INFINITY;
  }

  private arm(at: number): void {
    clearTimeout(this.timer);
    this.next = at;
    if (at === Number.POSITIVE_INFINITY) return;
    const left = Math.min(Math.max(at - this.now(), 0), LONGEST_MS);
    this.timer = setTimeout(() => this.fire(), left);
  }

  private fire(): void {
    const now = this.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, at] of [...this.due]) {
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      this.due.delete(id);
      this.wake(id);
    }
    this.arm(next);
  }
}
