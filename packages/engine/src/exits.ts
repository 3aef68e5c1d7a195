/** Wakes one of those who wait to enter a limit when another leaves it at this server, so that none waits for the next poll. */
export class Exits {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Resolves when somebody left, first come first served, or after the time. */
  next(key: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const ofKey = this.waiting.get(key) ?? new Set();
      this.waiting.set(key, ofKey);
      const end = () => {
        clearTimeout(timer);
        ofKey.delete(end);
        if (ofKey.size === 0 && this.waiting.get(key) === ofKey) this.waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(end, ms);
      ofKey.add(end);
    });
  }

  left(key: string): void {
    const [first] = this.waiting.get(key) ?? [];
    first?.();
  }
}
