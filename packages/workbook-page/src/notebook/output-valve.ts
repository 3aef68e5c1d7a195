/**
 * Controls what a cell in a page prints, on its way out of the worker. The first lines pass at once. A cell that prints
 * endlessly sends larger pieces, and output beyond the limit is only counted, so that the page stays usable.
 */
type Stream = 'stdout' | 'stderr';

const AT_ONCE = 500;
const PIECE = 64 * 1024;
const LIMIT = 2 * 1024 * 1024;

export class OutputValve {
  #pieces = 0;
  #passed = 0;
  #dropped = 0;
  #waiting = { name: 'stdout' as Stream, text: '' };

  constructor(private readonly pass: (name: Stream, text: string) => void) {}

  write(name: Stream, text: string): void {
    const kept = text.slice(0, LIMIT - this.#passed);
    this.#passed += kept.length;
    this.#dropped += text.length - kept.length;
    if (name !== this.#waiting.name) this.flush();
    this.#waiting = { name, text: this.#waiting.text + kept };
    if (this.#pieces < AT_ONCE || this.#waiting.text.length > PIECE) this.flush();
  }

  /** Call it before output that is not text. */
  flush(): void {
    const { name, text } = this.#waiting;
    if (text === '') return;
    this.#pieces += 1;
    this.#waiting = { name, text: '' };
    this.pass(name, text);
  }

  /** When a cell is done: the next one starts anew. */
  end(): void {
    this.flush();
    if (this.#dropped > 0)
      this.pass('stderr', `\n[${this.#dropped} more characters of output were dropped]\n`);
    this.#pieces = 0;
    this.#passed = 0;
    this.#dropped = 0;
  }
}
