/** A grid of characters on which lines join: each line cell keeps its four directions until it is printed. */
import { paint, type Style, widthOfChar } from '../render/terminal-text.ts';

const UP = 1;
const DOWN = 2;
const LEFT = 4;
const RIGHT = 8;

/** Indexed by the sum of directions. */
const LINES = ' ╵╷│╴┘┐┤╶└┌├─┴┬┼';

interface Cell {
  char?: string;
  lines: number;
  style?: Style | undefined;
}

export class Canvas {
  readonly #rows: Cell[][] = [];

  text(x: number, y: number, text: string, style?: Style): void {
    let at = x;
    for (const char of text) {
      const width = widthOfChar(char);
      if (width === 0) this.#cell(Math.max(0, at - 1), y).char += char;
      else Object.assign(this.#cell(at, y), { char, style });
      // The second half of a wide character prints nothing.
      if (width === 2) this.#cell(at + 1, y).char = '';
      at += width;
    }
  }

  vertical(x: number, from: number, to: number): void {
    for (let y = from; y < to; y++) {
      this.#cell(x, y).lines |= DOWN;
      this.#cell(x, y + 1).lines |= UP;
    }
  }

  horizontal(y: number, from: number, to: number): void {
    for (let x = Math.min(from, to); x < Math.max(from, to); x++) {
      this.#cell(x, y).lines |= RIGHT;
      this.#cell(x + 1, y).lines |= LEFT;
    }
  }

  box(x: number, y: number, width: number, height: number): void {
    this.horizontal(y, x, x + width - 1);
    this.horizontal(y + height - 1, x, x + width - 1);
    this.vertical(x, y, y + height - 1);
    this.vertical(x + width - 1, y, y + height - 1);
  }

  print(color: boolean): string {
    return this.#rows.map((row) => printRow(row ?? [], color)).join('\n');
  }

  #cell(x: number, y: number): Cell {
    while (this.#rows.length <= y) this.#rows.push([]);
    const row = this.#rows[y]!;
    while (row.length <= x) row.push({ lines: 0 });
    return row[x]!;
  }
}

function printRow(row: readonly Cell[], color: boolean): string {
  let out = '';
  let run = '';
  let style: Style | undefined;
  const flush = () => {
    out += style ? paint(run, style, color) : run;
    run = '';
  };
  for (const cell of row) {
    const next = cell.char === undefined && cell.lines > 0 ? 'dim' : cell.style;
    if (next !== style) flush();
    style = next;
    run += cell.char ?? LINES[cell.lines];
  }
  flush();
  return out.trimEnd();
}
