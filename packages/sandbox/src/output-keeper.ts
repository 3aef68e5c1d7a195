/**
 * Keeps the beginning of a program's output and counts the rest, so that a flood of output takes no memory.
 *
 * Text is passed on in whole characters, and the amount passed on is bounded as well.
 */
import { StringDecoder } from 'node:string_decoder';

export const DEFAULT_KEPT_BYTES = 10 * 1024 * 1024;

export class OutputKeeper {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onText: (text: string) => void;
  readonly #maxBytes: number;
  #parts: string[] = [];
  #keptBytes = 0;
  #droppedBytes = 0;

  constructor(onText: (text: string) => void, maxBytes = DEFAULT_KEPT_BYTES) {
    this.#onText = onText;
    this.#maxBytes = maxBytes;
  }

  write(chunk: Buffer): void {
    const room = this.#maxBytes - this.#keptBytes;
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room);
    this.#keptBytes += kept.length;
    this.#droppedBytes += chunk.length - kept.length;
    if (kept.length > 0) this.#pass(this.#decoder.write(kept));
  }

  /** Everything kept, and a last line that says how much is missing. */
  end(): string {
    this.#pass(this.#decoder.end());
    if (this.#droppedBytes > 0) {
      this.#pass(`\n[${this.#droppedBytes} more bytes of output were dropped; ${this.#maxBytes} are kept]\n`);
      this.#droppedBytes = 0;
    }
    this.#parts = [this.#parts.join('')];
    return this.#parts[0] ?? '';
  }

  #pass(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#onText(text);
  }
}
