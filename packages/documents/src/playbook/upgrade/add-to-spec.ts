/** Moves a piece of a step or a task under its `spec`, which is created if there is none. */
import {
  asMap,
  type Edit,
  type Piece,
  type Pieces,
  pad,
  pieceOf,
  piecesOf,
  removal,
  shiftedLines,
} from './pieces.ts';

export interface Addition {
  /** Lines for a key at this column, without the blanks before the first line. */
  block(column: number): string;
  flow: string;
}

/** Removes `piece` and puts its new form in its place, or at the end of the existing `spec`. */
export function moveToSpec(text: string, holder: Pieces, piece: Piece, addition: Addition): Edit[] {
  const spec = pieceOf(holder, 'spec');
  const { column } = holder;
  if (spec === undefined) return [inPlace(holder, piece, addition)];
  const map = asMap(spec.value);
  const gone = removal(holder, piece);
  if (map === undefined || map.items.length === 0) {
    const made = holder.flow ? ` {${addition.flow}}` : `\n${pad(column + 2)}${addition.block(column + 2)}`;
    return [gone, { from: spec.afterKey, to: spec.value?.range?.[1] ?? spec.afterKey, text: made }];
  }
  const inner = piecesOf(text, map);
  const end = inner.pieces.at(-1)!.end;
  if (holder.flow) return [gone, { from: end, to: end, text: `, ${addition.flow}` }];
  if (inner.flow) return [gone, unfolded(text, spec, inner, column + 2, piece, addition, column)];
  const above = shiftedLines(piece.above, inner.column - column);
  const added = `\n${above}${pad(inner.column)}${addition.block(inner.column)}`;
  return [gone, { from: end, to: end, text: added }];
}

function inPlace({ flow, column }: Pieces, piece: Piece, addition: Addition): Edit {
  const text = flow ? `spec: {${addition.flow}}` : `spec:\n${pad(column + 2)}${addition.block(column + 2)}`;
  return { from: piece.start, to: piece.end, text };
}

/** `{a: 1}` cannot contain a block: its keys get lines of their own. */
function unfolded(
  text: string,
  spec: Piece,
  inner: Pieces,
  column: number,
  piece: Piece,
  addition: Addition,
  from: number,
): Edit {
  const lines = inner.pieces.map(({ start, end }) => `\n${pad(column)}${text.slice(start, end)}`).join('');
  const comment = text.slice(inner.map.range![1], spec.end);
  const above = shiftedLines(piece.above, column - from);
  const added = `\n${above}${pad(column)}${addition.block(column)}`;
  return { from: spec.afterKey, to: spec.end, text: `${comment}${lines}${added}` };
}
