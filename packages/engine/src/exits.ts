/**
 * Wakes one of those who wait to enter a limit when another leaves it, so that nobody waits for the next poll.
 *
 * A waiter registers before it asks to enter. Otherwise a holder that leaves between the refusal and the wait would
 * wake nobody.
 */
export class Exits {
  private readonly waiting = new Map<string, Set<Waiter>>();

  /** Call this before asking the store, and always call `end` afterwards. */
  wait(key: string): Waiter {
    const ofKey = this.waiting.get(key) ?? new Set<Waiter>();
    this.waiting.set(key, ofKey);
    const waiter: Waiter = new Waiter(() => {
      ofKey.delete(waiter);
      if (ofKey.size === 0 && this.waiting.get(key) === ofKey) this.waiting.delete(key);
      // The waiter got in without the place, or gave up: the place goes to another.
      if (waiter.isWoken && !waiter.hasUsed) this.left(key);
    });
    ofKey.add(waiter);
    return waiter;
  }

  /** First come, first served. */
  left(key: string, places = 1): void {
    for (const waiter of this.waiting.get(key) ?? []) {
      if (waiter.isWoken) continue;
      waiter.wake();
      if (--places <= 0) return;
    }
  }
}

class Waiter {
  isWoken = false;
  /** The waiter was woken and tries to enter. */
  hasUsed = false;
  private resolve: (() => void) | undefined;

  constructor(readonly end: () => void) {}

  /** Resolves when a holder has left since the wait began, or when the time is up. */
  async left(ms: number): Promise<void> {
    if (!this.isWoken) await this.sleep(ms);
    this.hasUsed = this.isWoken;
  }

  wake(): void {
    this.isWoken = true;
    this.resolve?.();
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
