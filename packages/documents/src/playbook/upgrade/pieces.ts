/**
 * The text of YAML maps in pieces: a key with its value, the comment after it, and those above it. Rewriting moves
 * pieces as they are written, so that everything else stays the same, byte for byte.
 */
import { isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Piece {
  key: string;
  value: Node | null;
  /** The offset of the key. */
  start: number;
  /** The offset after its colon. */
  afterKey: number;
  /** The end of its last line, including the comment; in a flow map, of its value. */
  end: number;
  /** Comment lines above it, each with its line break. */
  above: string;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, text: put } of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    result += text.slice(at, from) + put;
    at = Math.max(at, to);
  }
  return result + text.slice(at);
}

export const pad = (column: number) => ' '.repeat(Math.max(0, column));

export function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Moves all lines but the first. */
export function shifted(text: string, by: number): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? line : shiftLine(line, by)))
    .join('\n');
}

/** Whole lines, each with its line break. */
export function shiftedLines(lines: string, by: number): string {
  return lines
    .split('\n')
    .map((line) => shiftLine(line, by))
    .join('\n');
}

function shiftLine(line: string, by: number): string {
  if (line.trim() === '') return line;
  return by >= 0 ? pad(by) + line : line.replace(new RegExp(`^ {0,${-by}}`), '');
}

export function pieceOf(map: Pieces, key: string): Piece | undefined {
  return map.pieces.find((piece) => piece.key === key);
}

export interface Pieces {
  map: YAMLMap;
  flow: boolean;
  pieces: Piece[];
  /** The column of its keys. */
  column: number;
}

export function piecesOf(text: string, map: YAMLMap): Pieces {
  const flow = map.flow === true;
  const pieces: Piece[] = [];
  for (const pair of map.items) {
    const piece = readPiece(text, pair, flow);
    const before = pieces.at(-1);
    if (before && !flow) piece.above = text.slice(before.end + 1, piece.start - columnOf(text, piece.start));
    pieces.push(piece);
  }
  return { map, flow, pieces, column: columnOf(text, pieces[0]?.start ?? 0) };
}

function readPiece(text: string, pair: Pair, flow: boolean): Piece {
  const key = pair.key as Node;
  const start = key.range![0];
  const value = (pair.value as Node | null) ?? null;
  const afterKey = text.indexOf(':', key.range![1]) + 1;
  const last = Math.max(afterKey, value ? contentEnd(text, value) : 0);
  const end = flow ? last : endOfLines(text, last, columnOf(text, start));
  return { key: isScalar(key) ? String(key.value) : '', value, start, afterKey, end, above: '' };
}

/** The offset after the last character of a value; what follows it up to the end of the line is a comment. */
export function contentEnd(text: string, node: Node): number {
  if (isCollection(node) && !node.flow && node.items.length > 0) {
    const last = node.items.at(-1);
    const inner = isPair(last) ? ((last.value ?? last.key) as Node | null) : (last as Node | null);
    if (inner?.range) return contentEnd(text, inner);
  }
  const { 0: start, 1: end } = node.range!;
  return start + text.slice(start, end).trimEnd().length;
}

/** The end of the line, or of the comment lines below it that are indented deeper than the key. */
function endOfLines(text: string, from: number, column: number): number {
  let end = lineEnd(text, from);
  for (;;) {
    const next = text.slice(end + 1, lineEnd(text, end + 1));
    const comment = /^( *)#/.exec(next);
    if (end >= text.length || !comment || comment[1]!.length <= column) return end;
    end = lineEnd(text, end + 1);
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** The piece as it is written, after its key. */
export function rest(text: string, { afterKey, end }: Piece): string {
  return text.slice(afterKey, end);
}

export function removal({ pieces }: Pieces, piece: Piece): Edit {
  const index = pieces.indexOf(piece);
  const [before, after] = [pieces[index - 1], pieces[index + 1]];
  if (before) return { from: before.end, to: piece.end, text: '' };
  if (after) return { from: piece.start, to: after.start, text: '' };
  return { from: piece.start, to: piece.end, text: '' };
}

/** The node if it is a map itself, not an alias of one. */
export const asMap = (node: unknown): YAMLMap | undefined => (isMap(node) ? node : undefined);
export const asItems = (node: unknown): unknown[] => (isSeq(node) ? node.items : []);
