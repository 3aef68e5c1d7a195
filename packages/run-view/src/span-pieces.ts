/** What a step run did when: the time during which its tasks worked, and the time during which they waited. */
import type { Attempt, Span, Wait } from './run-source.ts';

export interface Piece {
  from: number;
  to: number;
  isWait: boolean;
  /** Absent for the step run itself. */
  task?: Attempt;
}

/** `end` applies to what has not ended. A step run without tasks works for its whole duration. */
export function piecesOf(span: Span, end: number): Piece[] {
  const last = span.end ?? end;
  if (span.tasks.length === 0) return cutAt(span.start, last, span.waits);
  const ofTasks = span.tasks.flatMap((task) =>
    cutAt(task.start, task.end ?? last, task.waits).map((piece) => ({ ...piece, task })),
  );
  return [...span.waits.map((wait) => waitUntil(wait, last)), ...ofTasks];
}

/** The time between two moments, divided by the waits in it. */
function cutAt(from: number, to: number, waits: readonly Wait[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const wait of waits) {
    const piece = waitUntil(wait, to);
    if (piece.from > at) pieces.push({ from: at, to: piece.from, isWait: false });
    pieces.push(piece);
    at = piece.to;
  }
  return to > at || pieces.length === 0 ? [...pieces, { from: at, to, isWait: false }] : pieces;
}

const waitUntil = ({ start, end }: Wait, last: number): Piece => ({
  from: start,
  to: Math.min(end ?? last, last),
  isWait: true,
});
