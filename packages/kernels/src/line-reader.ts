/** Splits a byte stream into lines of bounded length. */

export class LineReader {
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#bytes = 0;
      this.#onLine(line);
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) {
      this.#parts = [];
      this.#onTooLong();
    } else if (part.length > 0) this.#parts.push(part);
  }
}
