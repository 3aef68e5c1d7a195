/**
 * Prints a YAML document in block style with an indent of two blanks, while every scalar, and every flow collection
 * that spans several lines, keeps the text that its author wrote.
 *
 * The library prints the structure and the comments. Each kept piece is a unique word in its output, which is replaced
 * afterwards, with the piece's further lines moved to the new indent.
 */
import { type Document, isCollection, isScalar, type Node, type Scalar, visit } from 'yaml';

interface Piece {
  text: string;
  isBlock: boolean;
  /** The indent of the further lines in the source. */
  depth: number;
}

export function printVerbatim(document: Document.Parsed, source: string): string {
  const mark = unusedWord(source);
  const pieces: Piece[] = [];
  visit(document, {
    Node(_key, node) {
      const piece = pieceOf(node, source);
      if (!piece) return undefined;
      const word = `${mark}${pieces.push(piece) - 1}${mark}`;
      return standIn(document, node, word, piece);
    },
  });
  const printed = document.toString({
    lineWidth: 0,
    indent: 2,
    flowCollectionPadding: false,
    indentSeq: true,
  });
  const word = new RegExp(`${mark}(\\d+)${mark}`, 'g');
  return printed
    .split('\n')
    .map((line) => fillLine(line, word, pieces))
    .join('\n');
}

function unusedWord(source: string): string {
  let word = 'Kept';
  while (source.includes(word)) word += 'x';
  return word;
}

function pieceOf(node: unknown, source: string): Piece | undefined {
  if (isScalar(node) && node.range && node.range[1] > node.range[0]) return scalarPiece(node, source);
  if (!isCollection(node) || !node.flow || !node.range) return undefined;
  const text = source.slice(node.range[0], node.range[1]);
  return text.includes('\n') ? { text, isBlock: false, depth: sharedIndent(text) } : undefined;
}

function scalarPiece(node: Scalar, source: string): Piece {
  const start = node.range![0];
  const text = source.slice(start, node.range![1]);
  if (node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED') {
    return { text, isBlock: false, depth: sharedIndent(text) };
  }
  const lineStart = source.lastIndexOf('\n', start) + 1;
  return { text, isBlock: true, depth: blockIndent(text, source.slice(lineStart, start)) };
}

function standIn(document: Document.Parsed, node: unknown, word: string, piece: Piece): Node {
  const stand = document.createNode(word) as Scalar;
  const from = node as Scalar;
  if (from.anchor !== undefined) stand.anchor = from.anchor;
  if (from.tag !== undefined) stand.tag = from.tag;
  if (from.commentBefore) stand.commentBefore = from.commentBefore;
  // The comment after a block's header is part of its text.
  if (from.comment && !piece.isBlock) stand.comment = from.comment;
  if (from.spaceBefore) stand.spaceBefore = true;
  return stand;
}

function fillLine(line: string, word: RegExp, pieces: readonly Piece[]): string {
  return line.replaceAll(word, (_word, index: string, at: number) => {
    const piece = pieces[Number(index)]!;
    // Only the last value of a line has further lines, so the start of the line is inspected once.
    return piece.text.includes('\n') ? movedTo(piece, parentIndent(line.slice(0, at)) + 2) : piece.text;
  });
}

/** The column of the key, or of the dash, that a value belongs to. */
function parentIndent(before: string): number {
  const lead = /^ *(?:[-?:] +)*/.exec(before)![0];
  const isItem = /^(?:[&!]\S* +)*$/.test(before.slice(lead.length));
  return isItem ? Math.max(0, lead.trimEnd().length - 1) : lead.length;
}

function movedTo({ text, isBlock, depth }: Piece, indent: number): string {
  const [head, ...lines] = text.split('\n');
  const moved = lines.map((line) =>
    isBlank(line) && line.length <= depth ? '' : ' '.repeat(indent) + line.slice(depth),
  );
  if (!isBlock) return [head!.trimEnd(), ...moved.map((line) => line.trimEnd())].join('\n');
  // The last line break belongs to the line that contains the piece.
  if (moved.at(-1) === '') moved.pop();
  const header = headerOf(head!);
  if (!header.keeps) while (moved.at(-1) === '') moved.pop();
  return [header.text, ...moved].join('\n');
}

/** The text of a block is always indented two blanks inside its parent, so an explicit indent is written as 2. */
function headerOf(head: string): { text: string; keeps: boolean } {
  const [all, style, signs] = /^([|>])([-+1-9]*)/.exec(head)!;
  const chomp = signs!.replaceAll(/[1-9]/g, '');
  const depth = /[1-9]/.test(signs!) ? '2' : '';
  return { text: `${style}${depth}${chomp}${head.slice(all.length).trimEnd()}`, keeps: chomp === '+' };
}

const isBlank = (line: string) => line.trim() === '';
const blanksOf = (line: string) => /^[ \t]*/.exec(line)![0].length;

function sharedIndent(text: string): number {
  const further = text.split('\n').slice(1);
  const filled = further.filter((line) => !isBlank(line));
  return filled.reduce((least, line) => Math.min(least, blanksOf(line)), filled[0]?.length ?? 0);
}

/**
 * A block's text starts at the indent of its first filled line, unless its header gives the indent relative to its
 * parent.
 */
function blockIndent(text: string, before: string): number {
  const said = /^[|>][-+]?([1-9])/.exec(text)?.[1];
  if (said !== undefined) return parentIndent(before) + Number(said);
  const first = text
    .split('\n')
    .slice(1)
    .find((line) => !isBlank(line));
  return first === undefined ? 0 : blanksOf(first);
}
