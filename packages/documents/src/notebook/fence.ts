/**
 * Finds fences in a text without splitting it into lines: jumps from one run of backticks to the next.
 *
 * Invariant: the time is linear in the text, whatever it contains; every run and every blank is inspected a bounded
 * number of times.
 */
export const SHORTEST_FENCE = 3;

const FENCE = '```';
const BACKTICK = 0x60;
const NEWLINE = 0x0a;

export interface FenceLine {
  /** Where the line starts, including its indent. */
  start: number;
  /** Where the next line starts. */
  end: number;
  /** The first backtick, and the offset after the last. */
  fenceStart: number;
  fenceEnd: number;
}

/** The next line that opens a cell: any indent, three or more backticks, the word `cell`. */
export function findOpener(text: string, from: number): FenceLine | undefined {
  return findFence(text, from, (_start, fenceEnd) => {
    if (!text.startsWith('cell', fenceEnd)) return false;
    const after = fenceEnd + 4;
    return after >= text.length || isSpace(text.charCodeAt(after));
  });
}

/** The next line that contains nothing but a fence of this length. */
export function findCloser(text: string, from: number, length: number): FenceLine | undefined {
  return findFence(text, from, (start, fenceEnd) => fenceEnd - start === length && isBlankTo(text, fenceEnd));
}

/** The next line that contains nothing but a fence of any length. */
export function findBareFence(text: string, from: number): FenceLine | undefined {
  return findFence(text, from, (_start, fenceEnd) => isBlankTo(text, fenceEnd));
}

/** The length of the longest fence that is alone on its line; 0 if there is none. */
export function longestBareFence(text: string): number {
  let longest = 0;
  for (let line = findBareFence(text, 0); line; line = findBareFence(text, line.end)) {
    longest = Math.max(longest, line.fenceEnd - line.fenceStart);
  }
  return longest;
}

function findFence(
  text: string,
  from: number,
  isWanted: (start: number, fenceEnd: number) => boolean,
): FenceLine | undefined {
  for (let at = text.indexOf(FENCE, from); at !== -1; ) {
    const fenceEnd = endOfRun(text, at);
    const start = lineStart(text, at, from);
    if (start !== undefined && isWanted(at, fenceEnd)) {
      return { start, end: endOfLine(text, fenceEnd), fenceStart: at, fenceEnd };
    }
    at = text.indexOf(FENCE, fenceEnd);
  }
  return undefined;
}

function endOfRun(text: string, at: number): number {
  let end = at + SHORTEST_FENCE;
  while (text.charCodeAt(end) === BACKTICK) end++;
  return end;
}

/** Where the line starts, if only blanks precede `at`; `from` is the start of a line. */
function lineStart(text: string, at: number, from: number): number | undefined {
  let start = at;
  while (start > from && isBlank(text.charCodeAt(start - 1))) start--;
  return start === from || text.charCodeAt(start - 1) === NEWLINE ? start : undefined;
}

/** The offset after the line break that ends the line, or the end of the text. */
export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 ? text.length : newline + 1;
}

function isBlankTo(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at >= text.length || text.charCodeAt(at) === NEWLINE;
}

/** Space, tab, or the carriage return of a line end. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}

export function isSpace(code: number): boolean {
  return isBlank(code) || code === NEWLINE;
}
