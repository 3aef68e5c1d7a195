/**
 * The events of one execution to one listener, as server-sent events. A listener that comes back with Last-Event-ID
 * misses nothing and hears nothing twice, whichever server it comes to.
 *
 * Nothing is kept for a slow listener. One that takes nothing for a while is dropped, and may come back.
 */
import type { ServerResponse } from 'node:http';
import { KEEP_ALIVE_MS } from '@woof/protocol';
import type { SharedStore } from '@woof/stores';
import type { EventHub } from './event-hub.ts';
import { eventText } from './event-text.ts';

/** How soon a browser comes back. */
const RETRY_MS = 500;

export class EventStream {
  private isOver = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly parts: { store: SharedStore; hub: EventHub; serverId: string; listenerMs: number },
    private readonly executionId: string,
    private readonly response: ServerResponse,
  ) {}

  /** Ends when the execution has ended and everything is sent, or the listener is gone. */
  async run(from: number, signal: AbortSignal): Promise<void> {
    // A listener may claim to have seen more than there is: what others hear must not start there.
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
    const beat = setInterval(() => this.response.write(': there\n\n'), KEEP_ALIVE_MS);
    try {
      await this.write(`retry: ${RETRY_MS}\n\n`);
      if (await this.sendAll(seen)) await this.write('event: end\ndata: {}\n\n');
    } finally {
      clearInterval(beat);
      forget();
      signal.removeEventListener('abort', stop);
      this.response.end();
    }
  }

  /** True: everything is sent that there will ever be. */
  private async sendAll(from: number): Promise<boolean> {
    // Asked before reading: what the row says has ended is wholly in the log.
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
    if (this.isOver || this.response.write(text)) return;
    await new Promise<void>((resolve) => {
      const slow = setTimeout(() => this.response.destroy(), this.parts.listenerMs);
      const end = () => {
        clearTimeout(slow);
        this.response.off('drain', end);
        this.response.off('close', end);
        resolve();
      };
      this.response.once('drain', end);
      this.response.once('close', end);
    });
  }
}

/** `from`, or the length of the log where that is less. */
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
