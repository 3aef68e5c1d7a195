/**
 * Sends the events of one execution to one listener as server-sent events. A listener that reconnects with Last-Event-ID
 * misses nothing and receives nothing twice, whichever server it connects to.
 *
 * Nothing is buffered for a slow listener. One that reads nothing for a while is disconnected and may reconnect.
 */
import type { SharedStore } from '@woof/stores';
import type { EventHub } from './event-hub.ts';
import { eventText } from './event-text.ts';
import type { SseResponse } from './sse-response.ts';

export class EventStream {
  private isOver = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly parts: { store: SharedStore; hub: EventHub; serverId: string },
    private readonly executionId: string,
    private readonly response: SseResponse,
  ) {}

  /** Resolves when the execution has ended and everything is sent, or when the listener is gone. */
  async run(from: number, signal: AbortSignal): Promise<void> {
    // A listener may claim to have seen more than exists. Other listeners must not start there.
    const { store, hub, serverId } = this.parts;
    const seen = await within(store, this.executionId, from);
    const stop = () => {
      this.isOver = true;
      this.wake?.();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const isHere = (await store.execution(this.executionId))?.driver === serverId;
    const forget = hub.listen(this.executionId, { seen, isHere }, () => this.wake?.());
    try {
      await this.response.open();
      if (await this.sendAll(seen)) await this.write('event: end\ndata: {}\n\n');
    } finally {
      forget();
      signal.removeEventListener('abort', stop);
      this.response.end();
    }
  }

  /** True if everything is sent that there will ever be. */
  private async sendAll(from: number): Promise<boolean> {
    // Read the row first: if it says that the execution has ended, the log is complete.
    const row = await this.parts.store.execution(this.executionId);
    let { seen, last } = await this.sendStored(from);
    if (row?.ended_at !== undefined) last = true;
    while (!last && !this.isOver) {
      const next = this.parts.hub.after(this.executionId, seen);
      if (next === undefined) await new Promise<void>((resolve) => this.waitFor(resolve));
      else if (next === 'behind') {
        const before = seen;
        ({ seen, last } = await this.sendStored(seen));
        if (seen === before) await new Promise<void>((resolve) => this.waitFor(resolve));
      } else {
        await this.write(next.text);
        ({ to: seen, last } = next);
      }
    }
    return last;
  }

  private async sendStored(from: number): Promise<{ seen: number; last: boolean }> {
    let seen = from;
    for await (const frame of this.parts.store.read(this.executionId, from)) {
      const piece = eventText(this.executionId, frame, seen);
      if (piece === undefined) continue;
      await this.write(piece.text);
      seen = piece.to;
      if (piece.last || this.isOver) return { seen, last: piece.last };
    }
    return { seen, last: false };
  }

  private waitFor(resolve: () => void): void {
    this.wake = resolve;
    if (this.isOver) resolve();
  }

  private async write(text: string): Promise<void> {
    if (!this.isOver) await this.response.write(text);
  }
}

/** `from`, or the length of the log if that is less. */
async function within(store: SharedStore, executionId: string, from: number): Promise<number> {
  if (from === 0) return 0;
  for (const start of [from - 1, 0]) {
    let end = 0;
    for await (const frame of store.read(executionId, start)) {
      end = frame.from + frame.events.length;
      if (end >= from) return from;
    }
    if (end > 0) return end;
  }
  return 0;
}
