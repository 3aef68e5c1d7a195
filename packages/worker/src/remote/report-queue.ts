/**
 * What waits to be sent, several calls at once: while the server makes one durable, it can decide on the next.
 *
 * Owns: what goes into a call, and when. Does not own: the call.
 * Invariants: items of one key are sent in their order, and none while another of that key is on its way. The end of a call
 * and the look for the next one are one step, with no promise between them, so nothing stays behind.
 */

const CALLS_AT_ONCE = 4;
const MOST_IN_A_CALL = 200;

interface Entry<T> {
  key: string;
  item: T;
}

export class ReportQueue<T> {
  private waiting: Entry<T>[] = [];
  private readonly underWay = new Set<string>();
  /** By key: how many wait or are on their way, and who waits until there are none. */
  private readonly unsent = new Map<string, { count: number; listeners: (() => void)[] }>();
  private idleListeners: (() => void)[] = [];
  private calls = 0;
  private isScheduled = false;

  constructor(
    private readonly keyOf: (item: T) => string,
    /** Never rejects. */
    private readonly send: (batch: T[]) => Promise<void>,
  ) {}

  /** Whatever is added in this tick goes together. */
  add(item: T): void {
    const key = this.keyOf(item);
    this.waiting.push({ key, item });
    const unsent = this.unsent.get(key);
    if (unsent) unsent.count += 1;
    else this.unsent.set(key, { count: 1, listeners: [] });
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      this.sendMore();
    });
  }

  /** Resolves when everything is sent. */
  idle(): Promise<void> {
    if (this.unsent.size === 0) return Promise.resolve();
    return new Promise((tell) => this.idleListeners.push(tell));
  }

  /** Resolves when everything of that key is sent. */
  sent(key: string): Promise<void> {
    const unsent = this.unsent.get(key);
    if (unsent === undefined) return Promise.resolve();
    return new Promise((tell) => unsent.listeners.push(tell));
  }

  private sendMore(): void {
    while (this.calls < CALLS_AT_ONCE) {
      const batch = this.takeBatch();
      if (batch.length === 0) return;
      this.calls += 1;
      for (const { key } of batch) this.underWay.add(key);
      void this.send(batch.map(({ item }) => item)).then(() => this.ended(batch));
    }
  }

  private takeBatch(): Entry<T>[] {
    const batch: Entry<T>[] = [];
    this.waiting = this.waiting.filter((entry) => {
      if (batch.length >= MOST_IN_A_CALL || this.underWay.has(entry.key)) return true;
      batch.push(entry);
      return false;
    });
    return batch;
  }

  private ended(batch: readonly Entry<T>[]): void {
    this.calls -= 1;
    for (const { key } of batch) {
      this.underWay.delete(key);
      this.isSent(key);
    }
    this.sendMore();
    if (this.unsent.size === 0) for (const tell of this.idleListeners.splice(0)) tell();
  }

  private isSent(key: string): void {
    const unsent = this.unsent.get(key)!;
    unsent.count -= 1;
    if (unsent.count > 0) return;
    this.unsent.delete(key);
    for (const tell of unsent.listeners) tell();
  }
}
