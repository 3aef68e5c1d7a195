/** A text and its lines: turns offsets into the 1-based positions that people read. */
import type { Position } from '@woof/net';

/** A place on one line; a range over several lines is underlined to the end of its first. */
export interface Span {
  line: number;
  column: number;
  endColumn: number;
}

export class Source {
  readonly #lineStarts: number[] = [0];

  constructor(
    readonly text: string,
    /** The number of its first line, if it is part of another text. */
    readonly firstLine = 1,
  ) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1))
      this.#lineStarts.push(at + 1);
  }

  position(offset: number): Position {
    const line = this.#lineOf(offset);
    return [line + this.firstLine, this.#clamp(offset) - this.#lineStarts[line]! + 1];
  }

  span(start: number, end: number): Span {
    const [line, column] = this.position(start);
    const from = this.#clamp(start);
    const stop = Math.max(from, Math.min(this.#clamp(end), this.#endOfLine(line - this.firstLine)));
    return { line, column, endColumn: column + Math.max(1, stop - from) };
  }

  #clamp(offset: number): number {
    return Math.max(0, Math.min(offset, this.text.length));
  }

  #endOfLine(line: number): number {
    const next = this.#lineStarts[line + 1];
    if (next === undefined) return this.text.length;
    return this.text[next - 2] === '\r' ? next - 2 : next - 1;
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
