/**
 * Finds the messages of a driver within its stdout, for languages that cannot write to a descriptor of their choice.
 *
 * A message is a mark of the number that no other mark has, then a line. Programs that a cell starts do not know the
 * token, so what they print stays output.
 */
const MESSAGE_MARK = 'ffffffff';
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

export class EmbeddedChannel {
  readonly #onBytes: (bytes: Buffer) => void;
  readonly #onLine: (line: string) => void;
  #start: Buffer = Buffer.from('\x1e');
  #held: Buffer = Buffer.alloc(0);

  constructor(onBytes: (bytes: Buffer) => void, onLine: (line: string) => void) {
    this.#onBytes = onBytes;
    this.#onLine = onLine;
  }

  expect(token: string): void {
    this.#start = Buffer.from(`\x1e${token}${MESSAGE_MARK}\x1e`, 'latin1');
  }

  write(chunk: Buffer): void {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (let at = rest.indexOf(this.#start); at >= 0; at = rest.indexOf(this.#start)) {
      const end = rest.indexOf(10, at);
      if (end < 0) {
        this.#hold(rest, at);
        return;
      }
      if (at > 0) this.#onBytes(rest.subarray(0, at));
      this.#onLine(rest.toString('utf8', at + this.#start.length, end));
      rest = rest.subarray(end + 1);
    }
    this.#hold(rest, this.#tail(rest));
  }

  #hold(bytes: Buffer, from: number): void {
    if (from > 0) this.#onBytes(bytes.subarray(0, from));
    this.#held = Buffer.from(bytes.subarray(from));
    // No message: the host ends a driver that sends one.
    if (this.#held.length > MAX_MESSAGE_BYTES) this.#onLine('');
  }

  /** What was held back is output after all, when nothing more will come. */
  end(): void {
    this.#onBytes(this.#held);
    this.#held = Buffer.alloc(0);
  }

  /** From where on the bytes may be the beginning of a message. */
  #tail(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#start.length + 1);
    for (let at = bytes.indexOf(0x1e, from); at >= 0; at = bytes.indexOf(0x1e, at + 1)) {
      if (bytes.subarray(at).equals(this.#start.subarray(0, bytes.length - at))) return at;
    }
    return bytes.length;
  }
}
