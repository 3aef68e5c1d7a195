/**
 * Sends what waits in a queue, one call at a time. Items queued during a call go with the next one.
 *
 * Owns: when a call is made. Does not own: the queue.
 * Invariant: the last check of the queue and the end of sending happen in one step, with no promise between them.
 * Otherwise an item queued between the two would wait until something else is queued, perhaps forever.
 */
export class Sender {
  private sending: Promise<void> | undefined;
  private call: Promise<void> | undefined;

  constructor(
    private readonly isEmpty: () => boolean,
    private readonly sendSome: () => Promise<void>,
  ) {}

  /** Call this after queueing something. */
  wake(): void {
    this.sending ??= this.sendAll();
  }

  /** Resolves when everything that was queued is sent. */
  async idle(): Promise<void> {
    while (this.sending) await this.sending;
  }

  /** Resolves when the current call, or the next one, has ended. */
  async some(): Promise<void> {
    await (this.call ?? Promise.resolve());
  }

  private async sendAll(): Promise<void> {
    // Items queued in the same tick are sent together.
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
