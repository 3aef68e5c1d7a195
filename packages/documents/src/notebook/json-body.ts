/** Bodies that must be JSON: what is wrong with one, and where that is in the document. */
import type { Diagnostic } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import { plainJsonError } from '../yaml/syntax-words.ts';
import type { Cell } from './cell.ts';
import type { Notebook } from './notebook.ts';

export const isError = ({ severity }: Diagnostic) => severity === 'error';

export function placeOf({ line, column, endColumn = column + 1 }: Diagnostic | Span): Span {
  return { line, column, endColumn };
}

/** Converts offsets in the body to spans. */
export function spansOf({ source }: Notebook, { bodyStart }: Cell): (start: number, end: number) => Span {
  return (start, end) => source.span(bodyStart + start, bodyStart + end);
}

export function jsonProblem(text: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (problem) {
    const { message } = problem as Error;
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? unexpectedToken(text));
    const what = text.trim() === '' ? 'it is empty' : plainJsonError(message);
    return { message: what, offset: Math.min(offset, text.length) };
  }
}

/** The engine gives no position for an unexpected token: the token ends the shortest prefix with the same error. */
function unexpectedToken(text: string): number {
  if (!hasUnexpectedToken(text)) return text.length;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (hasUnexpectedToken(text.slice(0, middle))) bad = middle;
    else good = middle;
  }
  return good;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (problem) {
    return (problem as Error).message.startsWith('Unexpected token');
  }
}
