/** Tasks write pieces of output, of one line or several; the views show lines. */
import type { LogLine } from './run-source.ts';

/** The lines of a piece, each with a cursor of its own. */
export function linesOf(piece: LogLine): LogLine[] {
  const texts = piece.text.replace(/\r?\n$/, '').split(/\r?\n/);
  return texts.map((text, n) => ({ ...piece, cursor: `${piece.cursor}#${n}`, text }));
}

/** The cursor of the piece that a line is from. */
export const pieceCursor = (cursor: string): string => cursor.replace(/#\d+$/, '');

/** Search ignores case, as the server does. */
export const isMatch = ({ text }: LogLine, q: string | undefined): boolean =>
  q === undefined || text.toLowerCase().includes(q.toLowerCase());
