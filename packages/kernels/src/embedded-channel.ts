/**
 * Finds a driver's messages in its stdout, for languages that cannot write to an arbitrary descriptor.
 *
 * A message is a mark with a reserved number, followed by one line. Programs that a cell starts do not know the token,
 * so everything that they print is output.
 */
const MESSAGE_MARK = 'ffffffff';
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

export class EmbeddedChannel {
  readonly #onBytes: (bytes: Buffer) => void;
  readonly #onLine: (line: string) => void;
  #start: Buffer = Buffer.from('\x1e');
  /** Bytes that may begin a mark. */
  #held: Buffer = EMPTY;
  /** Set after a message's mark, until its line ends. */
  #message: { parts: Buffer[]; bytes: number } | undefined;

  constructor(onBytes: (bytes: Buffer) => void, onLine: (line: string) => void) {
    this.#onBytes = onBytes;
    this.#onLine = onLine;
  }

  expect(token: string): void {
    this.#start = Buffer.from(`\x1e${token}${MESSAGE_MARK}\x1e`, 'latin1');
  }

  write(chunk: Buffer): void {
    let rest = this.#message ? this.#continue(chunk) : this.#afterHeld(chunk);
    for (let at = rest.indexOf(this.#start); at >= 0; at = rest.indexOf(this.#start)) {
      if (at > 0) this.#onBytes(rest.subarray(0, at));
      this.#message = { parts: [], bytes: 0 };
      rest = this.#continue(rest.subarray(at + this.#start.length));
    }
    if (!this.#message) this.#hold(rest, this.#tail(rest));
  }

  /** Reads to the end of the line and returns the bytes after it. The chunks of a message are joined only once. */
  #continue(chunk: Buffer): Buffer {
    const message = this.#message!;
    const end = chunk.indexOf(10);
    const part = end < 0 ? chunk : chunk.subarray(0, end);
    message.parts.push(part);
    message.bytes += part.length;
    const isTooLong = message.bytes > MAX_MESSAGE_BYTES;
    if (end < 0 && !isTooLong) return EMPTY;
    this.#message = undefined;
    // An empty line is not a message, and the host ends a driver that sends one.
    this.#onLine(isTooLong ? '' : Buffer.concat(message.parts).toString('utf8'));
    return end < 0 ? EMPTY : chunk.subarray(end + 1);
  }

  #afterHeld(chunk: Buffer): Buffer {
    return this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
  }

  #hold(bytes: Buffer, from: number): void {
    if (from > 0) this.#onBytes(bytes.subarray(0, from));
    this.#held = Buffer.from(bytes.subarray(from));
  }

  /** At the end of the stream, bytes that were held back are output after all. */
  end(): void {
    this.#onBytes(this.#message ? Buffer.concat([this.#start, ...this.#message.parts]) : this.#held);
    this.#held = EMPTY;
    this.#message = undefined;
  }

  /** The position from which the bytes may begin a message. */
  #tail(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#start.length + 1);
    for (let at = bytes.indexOf(0x1e, from); at >= 0; at = bytes.indexOf(0x1e, at + 1)) {
      if (bytes.subarray(at).equals(this.#start.subarray(0, bytes.length - at))) return at;
    }
    return bytes.length;
  }
}
