/**
 * The body of a reply as it comes over the connection.
 *
 * Invariant: no more than `READ_AHEAD` bytes wait here for a reader, or what `whole` was asked for; then the connection
 * waits as well.
 */
import type { Dispatcher } from 'undici';

const READ_AHEAD = 128 * 1024;
/** A server may send a byte a chunk: the chunks that wait must not weigh more than what is in them. */
const MOST_LOOSE = 1024;
/** A longer rest costs more than a new connection. */
const LONGEST_REST = 128 * 1024;

export class ReplyBody implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  /** How many of the last chunks were not joined yet. */
  #loose = 0;
  #size = 0;
  #most = READ_AHEAD;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly connection: Dispatcher.DispatchController) {}

  // What the connection says.

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    if (++this.#loose === MOST_LOOSE) {
      this.#chunks.push(Buffer.concat(this.#chunks.splice(-MOST_LOOSE)));
      this.#loose = 0;
    }
    this.#size += chunk.length;
    if (this.#size > this.#most) this.connection.pause();
    this.#wake?.();
  }

  end(broken?: { error: unknown }): void {
    this.#end ??= broken ?? {};
    this.#wake?.();
  }

  // What a reader asks.

  /** All of it, where that came already, as most replies do with their headers. */
  arrived(most: number): Buffer | undefined {
    if (this.#end === undefined || 'error' in this.#end || this.#size > most) return undefined;
    return joined(this.#take());
  }

  /** All of it, where it has no more than `most` bytes; otherwise nothing is taken. */
  async whole(most: number): Promise<Buffer | undefined> {
    this.#most = most;
    this.connection.resume();
    while (this.#end === undefined && this.#size <= most) await this.#more();
    this.#most = READ_AHEAD;
    if (this.#size > most) return undefined;
    if (this.#end && 'error' in this.#end) throw this.#end.error;
    return joined(this.#take());
  }

  /** Who stops before the end breaks the connection. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield* this.#take();
        if (this.#chunks.length > 0) continue;
        if (this.#end && 'error' in this.#end) throw this.#end.error;
        if (this.#end) return;
        // It may bring more before it returns.
        this.connection.resume();
        if (this.#chunks.length === 0 && this.#end === undefined) await this.#more();
      }
    } finally {
      this.#giveUp();
    }
  }

  /** Reads what is left so that the connection can be used again, or breaks it where that is long. */
  async dump(): Promise<void> {
    await this.whole(LONGEST_REST).catch(() => undefined);
    this.#giveUp();
  }

  #giveUp(): void {
    if (this.#end === undefined) this.connection.abort(new Error('nobody reads the rest of the reply'));
  }

  #take(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#loose = 0;
    this.#size = 0;
    return chunks;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function joined(chunks: Uint8Array[]): Buffer {
  const [chunk] = chunks;
  if (chunk === undefined || chunks.length > 1) return Buffer.concat(chunks);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
