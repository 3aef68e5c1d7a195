/**
 * Reports in transit, one call at a time, in order. Whoever waits for the reports of one job does not wait for what
 * others report later.
 *
 * Owns: what goes into a call, and who learns that it was sent. Does not own: the call, and when it is made
 * (sender.ts).
 */
import { Sender } from './sender.ts';

const MOST_IN_A_CALL = 200;

interface Entry<T> {
  key: string;
  item: T;
}

interface Unsent {
  count: number;
  listeners: (() => void)[];
}

export class ReportQueue<T> {
  private readonly waiting: Entry<T>[] = [];
  /** By key: how many items are waiting or in transit, and who waits until there are none. */
  private readonly unsent = new Map<string, Unsent>();
  private readonly sender = new Sender(
    () => this.waiting.length === 0,
    () => this.sendSome(),
  );

  constructor(
    private readonly keyOf: (item: T) => string,
    /** Never rejects. */
    private readonly send: (batch: T[]) => Promise<void>,
  ) {}

  /** Items added in the same tick are sent together. */
  add(item: T): void {
    const key = this.keyOf(item);
    this.waiting.push({ key, item });
    const unsent = this.unsent.get(key);
    if (unsent) unsent.count += 1;
    else this.unsent.set(key, { count: 1, listeners: [] });
    this.sender.wake();
  }

  /** Resolves when everything is sent. */
  idle(): Promise<void> {
    return this.sender.idle();
  }

  /** Resolves when everything with that key is sent. */
  sent(key: string): Promise<void> {
    const unsent = this.unsent.get(key);
    if (unsent === undefined) return Promise.resolve();
    return new Promise((tell) => unsent.listeners.push(tell));
  }

  private async sendSome(): Promise<void> {
    const batch = this.waiting.splice(0, MOST_IN_A_CALL);
    await this.send(batch.map(({ item }) => item));
    for (const { key } of batch) this.isSent(key);
  }

  private isSent(key: string): void {
    const unsent = this.unsent.get(key)!;
    unsent.count -= 1;
    if (unsent.count > 0) return;
    this.unsent.delete(key);
    for (const tell of unsent.listeners) tell();
  }
}
