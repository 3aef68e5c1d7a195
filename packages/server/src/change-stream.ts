/** Sends the change feed to one listener as server-sent events. */
import { type ChangeFeed, RESET } from './change-feed.ts';
import type { SseResponse } from './sse-response.ts';

export class ChangeStream {
  private wake: (() => void) | undefined;

  constructor(
    private readonly parts: { changes: ChangeFeed },
    private readonly response: SseResponse,
  ) {}

  /** Ends when the listener disconnects or may no longer listen. */
  async run(lastEventId: string | undefined, signal: AbortSignal): Promise<void> {
    const { changes } = this.parts;
    const forget = await changes.listen(() => this.wake?.());
    const stop = () => this.wake?.();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.response.open();
      await this.send(await this.greet(lastEventId), signal);
    } finally {
      forget();
      signal.removeEventListener('abort', stop);
      this.response.end();
    }
  }

  /** The first event has an id, so that a listener that is disconnected before a change does not miss the next one. */
  private async greet(lastEventId: string | undefined): Promise<number> {
    const { changes } = this.parts;
    const known = lastEventId === undefined ? undefined : changes.seenOf(lastEventId);
    const seen = known ?? changes.last;
    const isLost = lastEventId !== undefined && known === undefined;
    const first = isLost ? RESET : 'event: ready\ndata: {}\n';
    await this.response.write(`id: ${changes.idOf(seen)}\n${first}\n`);
    return seen;
  }

  private async send(from: number, signal: AbortSignal): Promise<void> {
    const { changes } = this.parts;
    for (let seen = from; !signal.aborted; ) {
      const text = changes.after(seen);
      if (text === undefined) await new Promise<void>((resolve) => this.waitFor(resolve, signal));
      else if (text === 'missed') {
        seen = changes.last;
        await this.response.write(`id: ${changes.idOf(seen)}\n${RESET}\n`);
      } else {
        seen += 1;
        await this.response.write(text);
      }
    }
  }

  private waitFor(resolve: () => void, signal: AbortSignal): void {
    this.wake = resolve;
    if (signal.aborted) resolve();
  }
}
