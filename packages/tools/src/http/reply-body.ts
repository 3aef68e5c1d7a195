/**
 * The body of a reply as it arrives on the connection.
 *
 * Invariant: at most `READ_AHEAD` bytes wait here for a reader, or as many as `whole` asked for. Beyond that, the
 * connection is paused.
 */
import type { Dispatcher } from 'undici';

const READ_AHEAD = 128 * 1024;
/** A server may send one byte per chunk: waiting chunks must not take more memory than their contents. */
const MOST_LOOSE = 1024;
/** Reading a longer rest costs more than a new connection. */
const LONGEST_REST = 128 * 1024;

export class ReplyBody implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  /** How many of the last chunks are not joined yet. */
  #loose = 0;
  #size = 0;
  #most = READ_AHEAD;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly connection: Dispatcher.DispatchController) {}

  // Called by the connection.

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

  // Called by a reader.

  /** The whole body if it has already arrived, as most replies do together with their headers. */
  arrived(most: number): Buffer | undefined {
    if (this.#end === undefined || 'error' in this.#end || this.#size > most) return undefined;
    return joined(this.#take());
  }

  /** The whole body if it has at most `most` bytes. Otherwise nothing is consumed. */
  async whole(most: number): Promise<Buffer | undefined> {
    this.#most = most;
    this.connection.resume();
    while (this.#end === undefined && this.#size <= most) await this.#more();
    this.#most = READ_AHEAD;
    if (this.#size > most) return undefined;
    if (this.#end && 'error' in this.#end) throw this.#end.error;
    return joined(this.#take());
  }

  /** A reader that stops before the end closes the connection. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield* this.#take();
        if (this.#chunks.length > 0) continue;
        if (this.#end && 'error' in this.#end) throw this.#end.error;
        if (this.#end) return;
        // This may deliver more before it returns.
        this.connection.resume();
        if (this.#chunks.length === 0 && this.#end === undefined) await this.#more();
      }
    } finally {
      this.#giveUp();
    }
  }

  /** Reads the rest so that the connection can be reused, or closes it if the rest is long. */
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
