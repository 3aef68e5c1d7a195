/**
 * Wakes one of those who wait to enter a limit when another leaves it, so that none waits for the next poll.
 *
 * Whoever asks to enter waits from before it asks: who leaves between the refusal and the wait would wake nobody.
 */
export class Exits {
  private readonly waiting = new Map<string, Set<Waiter>>();

  /** Comes before the store is asked; `end` it in any case. */
  wait(key: string): Waiter {
    const ofKey = this.waiting.get(key) ?? new Set<Waiter>();
    this.waiting.set(key, ofKey);
    const waiter: Waiter = new Waiter(() => {
      ofKey.delete(waiter);
      if (ofKey.size === 0 && this.waiting.get(key) === ofKey) this.waiting.delete(key);
      // It got in without the place, or gave up: the place is another's.
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
  /** It was woken, and tries to enter. */
  hasUsed = false;
  private resolve: (() => void) | undefined;

  constructor(readonly end: () => void) {}

  /** Resolves when somebody has left since the wait began, or after the time. */
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
