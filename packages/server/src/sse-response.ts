/** Server-sent events to one listener. A listener that reads nothing for a while is disconnected and may reconnect. */
import type { ServerResponse } from 'node:http';
import { KEEP_ALIVE_MS } from '@woof/protocol';
import type { FastifyReply } from 'fastify';

/** The delay before a browser reconnects. */
const RETRY_MS = 500;

export class SseResponse {
  private beat: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly listenerMs: number,
  ) {}

  /** Sends the head. From then on the response belongs to this stream. */
  static begin(reply: FastifyReply, listenerMs: number): SseResponse {
    reply.hijack();
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    return new SseResponse(reply.raw, listenerMs);
  }

  async open(): Promise<void> {
    this.beat = setInterval(() => this.response.write(': there\n\n'), KEEP_ALIVE_MS);
    await this.write(`retry: ${RETRY_MS}\n\n`);
  }

  end(): void {
    clearInterval(this.beat);
    this.response.end();
  }

  async write(text: string): Promise<void> {
    if (this.response.write(text)) return;
    await new Promise<void>((resolve) => {
      const slow = setTimeout(() => this.response.destroy(), this.listenerMs);
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
