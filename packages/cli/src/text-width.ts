/** How many columns text takes on a terminal. It may contain colours and tabs. */
import { widthOfChar } from '@woof/documents/terminal-text';

const TAB = 8;

/** Starts at the first column: tabs extend to the next stop. */
export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of text.replaceAll(COLORED, '')) width += columnsOf(char, width);
  return width;
}

/** Stops at the first column beyond the limit: a line may be far longer than a screen. */
function fits(text: string, limit: number): boolean {
  if (PRINTABLE_ASCII.test(text)) return text.length <= limit;
  let width = 0;
  for (const char of text.replaceAll(COLORED, '')) {
    width += columnsOf(char, width);
    if (width > limit) return false;
  }
  return true;
}

/** Cuts to a width, and keeps the codes that end colours. */
export function fitted(text: string, limit: number): string {
  if (fits(text, limit)) return text;
  let shown = '';
  let width = 0;
  let isFull = false;
  for (const part of text.split(PARTS)) {
    if (part.startsWith('\u001b')) shown += part;
    else {
      for (const char of part) {
        width += columnsOf(char, width);
        isFull ||= width > limit - 1;
        if (isFull) break;
        shown += char;
      }
    }
  }
  return `${shown}…`;
}

function columnsOf(char: string, at: number): number {
  return char === '\t' ? TAB - (at % TAB) : widthOfChar(char);
}

const PRINTABLE_ASCII = /^[ -~]*$/;
// biome rejects control characters in patterns, so these are built.
const PARTS = new RegExp(`(${String.fromCharCode(27)}\\[\\d+m)`);
const COLORED = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** The columns of a terminal, Infinity elsewhere. A terminal that does not know its size reports 0. */
export function columnsOn(stream: { isTTY?: boolean; columns?: number }): number {
  return stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
}

/** On one line if it fits, else each part on a line of its own. */
export function joined(parts: readonly string[], glue: string, columns: number): string {
  const line = parts.join(glue);
  return widthOf(line) < columns ? line : parts.join(`${glue.trimEnd()}\n  `);
}

/** As many of its lines as fit this many rows, counting wrapped lines; of the last line, the part that fits. */
export function fittingRows(text: string, columns: number, rows: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  const kept: string[] = [];
  let left = rows;
  for (const line of text.split('\n')) {
    if (left <= 0) return kept.join('\n');
    const shown = fitted(line, left * columns);
    kept.push(shown);
    if (shown !== line) break;
    left -= Math.max(1, Math.ceil(widthOf(line) / columns));
  }
  return kept.join('\n');
}
