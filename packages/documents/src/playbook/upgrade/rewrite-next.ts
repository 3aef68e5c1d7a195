/** Rewrites `next`, an arc or a list of arcs, as a router, which also takes `spec.next_mode` of its step. */
import { isSeq, type YAMLMap } from 'yaml';
import {
  asMap,
  type Edit,
  type Piece,
  type Pieces,
  pad,
  pieceOf,
  piecesOf,
  removal,
  rest,
  shifted,
  shiftedLines,
} from './pieces.ts';
import { isLoneArc, stepsOf } from './sites.ts';

interface Mode {
  /** As written, with the blank before it. */
  written: string;
  /** Comments, indented as lines below `mode`. */
  above: string;
  removal: Edit;
}

export function rewriteNext(text: string, root: unknown): Edit[] {
  return stepsOf(root).flatMap((step) => {
    const holder = piecesOf(text, step);
    const mode = takeMode(text, holder);
    const next = pieceOf(holder, 'next');
    const gone = mode ? [mode.removal] : [];
    if (next === undefined) return gone;
    if (isSeq(next.value)) return [...gone, router(holder, next, mode, rest(text, next))];
    if (isLoneArc(next.value))
      return [...gone, router(holder, next, mode, asList(text, holder, next, next.value))];
    return mode ? [...gone, intoRouter(text, next, mode)] : gone;
  });
}

function takeMode(text: string, holder: Pieces): Mode | undefined {
  const spec = pieceOf(holder, 'spec');
  const map = spec && asMap(spec.value);
  if (!map) return undefined;
  const inner = piecesOf(text, map);
  const piece = pieceOf(inner, 'next_mode');
  if (!piece) return undefined;
  const written = rest(text, piece);
  const own = shiftedLines(
    inner.flow ? '' : above(text, spec, inner, piece),
    holder.column + 4 - inner.column,
  );
  if (inner.pieces.length > 1) return { written, above: own, removal: removal(inner, piece) };
  // The whole spec is removed, with the comments above it.
  const outer = shiftedLines(spec.above, 4);
  return { written, above: outer + own, removal: removal(holder, spec) };
}

function above(text: string, spec: Piece, inner: Pieces, piece: Piece): string {
  if (piece !== inner.pieces[0]) return piece.above;
  const line = text.indexOf('\n', spec.afterKey) + 1;
  return text.slice(line, piece.start - inner.column);
}

/** The arc as a list of one, as it would be written after the key. */
function asList(text: string, { column }: Pieces, next: Piece, arc: YAMLMap): string {
  const { 0: from, 1: to } = arc.range!;
  if (arc.flow) return ` [${text.slice(from, to)}]${text.slice(to, next.end)}`;
  const { pieces, column: own } = piecesOf(text, arc);
  const written = text.slice(pieces[0]!.start, pieces.at(-1)!.end);
  return `\n${pad(column + 2)}- ${shifted(written, column + 4 - own)}`;
}

/** `arcs` as they are written after `next`. */
function router({ flow, column }: Pieces, next: Piece, mode: Mode | undefined, arcs: string): Edit {
  const { afterKey: from, end: to } = next;
  if (flow) {
    const spec = mode ? `spec: {mode:${mode.written}}, ` : '';
    return { from, to, text: ` {${spec}arcs:${arcs}}` };
  }
  const spec = mode ? `\n${pad(column + 2)}spec:\n${mode.above}${pad(column + 4)}mode:${mode.written}` : '';
  return { from, to, text: `${spec}\n${pad(column + 2)}arcs:${shifted(arcs, 2)}` };
}

/** It already has arcs: only the mode is of the older dialect. */
function intoRouter(text: string, next: Piece, { written }: Mode): Edit {
  const map = asMap(next.value)!;
  const { flow, column, pieces } = piecesOf(text, map);
  const at = pieces[0]?.start ?? map.range![0] + 1;
  const spec = flow
    ? `spec: {mode:${written}}, `
    : `spec:\n${pad(column + 2)}mode:${written}\n${pad(column)}`;
  return { from: at, to: at, text: spec };
}
