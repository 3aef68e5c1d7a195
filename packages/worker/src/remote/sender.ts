/**
 * Sends what waits in a queue, one call at a time. Whatever is queued while a call is under way goes with the next.
 *
 * Owns: when a call is made. Does not own: the queue.
 * Invariant: the last look at the queue and the end of the sending are one step, with no promise between them. Otherwise
 * what is queued between the two would wait for whoever queues something after it, perhaps for ever.
 */
export class Sender {
  private sending: Promise<void> | undefined;
  private call: Promise<void> | undefined;

  constructor(
    private readonly isEmpty: () => boolean,
    private readonly sendSome: () => Promise<void>,
  ) {}

  /** Call it after something was queued. */
  wake(): void {
    this.sending ??= this.sendAll();
  }

  /** Resolves when everything that was queued is sent. */
  async idle(): Promise<void> {
    while (this.sending) await this.sending;
  }

  /** Resolves when the call that is under way, or the next one, has ended. */
  async some(): Promise<void> {
    await (this.call ?? Promise.resolve());
  }

  private async sendAll(): Promise<void> {
    // Whatever is queued in this tick goes together.
    await Promise.resolve();
    try {
      while (!this.isEmpty()) {
        this.call = this.sendSome();
        await this.call;
      }
    } finally {
      this.sending = undefined;
      this.call = undefined;
    }
  }
}
