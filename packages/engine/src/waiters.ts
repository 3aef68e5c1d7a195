/**
 * Task runs that asked to enter a limit and must ask again. Each is known only to the server that it asks. For people
 * to see.
 */

export interface Waiter {
  key: string;
  holder: string;
  worker: string;
  asked_at: number;
}

/** A waiter that is this late in asking again is considered gone. */
const FORGOTTEN_AFTER_MS = 10_000;
const MOST_KEPT = 10_000;

export class Waiters {
  private readonly all = new Map<string, Waiter & { again_at: number }>();

  constructor(private readonly now: () => number) {}

  /** `waitMs` 0: it entered. */
  note({ key, holder, worker }: Pick<Waiter, 'key' | 'holder' | 'worker'>, waitMs: number): void {
    const id = `${key}\n${holder}`;
    if (waitMs === 0) {
      this.all.delete(id);
      return;
    }
    if (this.all.size >= MOST_KEPT) this.forget();
    const now = this.now();
    const asked_at = this.all.get(id)?.asked_at ?? now;
    if (this.all.size < MOST_KEPT)
      this.all.set(id, { key, holder, worker, asked_at, again_at: now + waitMs });
  }

  list(): Waiter[] {
    this.forget();
    return [...this.all.values()].map(({ again_at: _, ...waiter }) => waiter);
  }

  private forget(): void {
    const before = this.now() - FORGOTTEN_AFTER_MS;
    for (const [id, { again_at }] of this.all) if (again_at < before) this.all.delete(id);
  }
}
