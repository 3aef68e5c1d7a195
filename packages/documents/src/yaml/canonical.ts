/**
 * A YAML text in canonical form: keys in order, an indent of two blanks, one blank line between the items of its main
 * list; comments, quotes and blocks as written.
 *
 * Invariant: the result reads as the same data with the same comments. If reordering would break that (an alias before
 * its anchor), the order stays; if nothing can keep it, the result is undefined.
 */
import { type Document, isCollection, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { cutInPieces } from './in-pieces.ts';
import { type MapShape, rank, resolve, type Shape, shapeUnder } from './key-order.ts';
import { parseYaml } from './parse.ts';
import { keyOf, readsTheSame, settle } from './settle.ts';
import { printVerbatim } from './verbatim.ts';

export interface Canon {
  shape: MapShape;
  /** The root key whose items are separated by blank lines, e.g. the steps of a playbook. */
  spaced: string;
  /** From this many items on, they are printed one by one. */
  fewestPieces?: number;
}

interface Manner {
  reorder: boolean;
  space: boolean;
}

const MANNERS: Manner[] = [
  { reorder: true, space: true },
  { reorder: false, space: true },
  { reorder: false, space: false },
];

export function formatYaml(text: string, canon: Canon): string | undefined {
  const unix = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  for (const manner of MANNERS) {
    for (const way of [inPieces, asWhole]) {
      const settled = way(unix, manner, canon);
      if (settled !== undefined && readsTheSame(unix, settled)) return settled;
    }
  }
  return undefined;
}

function asWhole(text: string, manner: Manner, canon: Canon): string | undefined {
  return settle(text, (current) => printIn(current, manner, canon));
}

/** Undefined if it is not worth it, or cannot be done. */
function inPieces(text: string, manner: Manner, canon: Canon): string | undefined {
  const cut = cutInPieces(text, canon.spaced, canon.fewestPieces);
  const frame = cut && asWhole(cut.frame, manner, canon);
  if (frame === undefined) return undefined;
  const printed = new Map<string, string>();
  for (const piece of cut!.pieces) {
    if (printed.has(piece)) continue;
    const settled = asWhole(piece, manner, canon);
    if (settled === undefined) return undefined;
    printed.set(piece, settled);
  }
  return cut!.join(
    frame,
    cut!.pieces.map((piece) => printed.get(piece)!),
  );
}

function printIn(text: string, manner: Manner, canon: Canon): string | undefined {
  const { document } = parseYaml(text);
  if (!document) return undefined;
  if (manner.reorder) keepTop(document.contents, () => orderKeys(document.contents, canon.shape));
  if (manner.space) spaceItems(document, canon.spaced);
  try {
    return printVerbatim(document, text).replace(/\n*$/, '\n');
  } catch {
    // The library throws if an alias comes before its anchor.
    return undefined;
  }
}

/** The library assigns the comment at the top of the file to the first key, which may move down. */
function keepTop(root: unknown, reorder: () => void): void {
  const before = firstKey(root);
  const top = before?.commentBefore;
  if (before && top) before.commentBefore = null;
  reorder();
  const after = firstKey(root);
  if (after && top) after.commentBefore = after.commentBefore ? `${top}\n${after.commentBefore}` : top;
}

function firstKey(node: unknown): Scalar | undefined {
  const key = isMap(node) ? node.items[0]?.key : undefined;
  return isScalar(key) ? key : undefined;
}

function orderKeys(node: unknown, shape: Shape): void {
  if (isSeq(node)) for (const item of node.items) orderKeys(item, shape);
  if (!isMap(node)) return;
  const keys = node.items.map(keyOf);
  const own = resolve(shape, keys);
  node.items.sort((a, b) => rank(own, keyOf(a)) - rank(own, keyOf(b)));
  for (const pair of node.items) orderKeys(pair.value, shapeUnder(own, keyOf(pair)));
  const first = firstKey(node);
  if (first) first.spaceBefore = false;
}

function spaceItems(document: Document.Parsed, spaced: string): void {
  if (!isMap(document.contents)) return;
  const items = (document.contents as YAMLMap).items.find((pair) => keyOf(pair) === spaced)?.value;
  if (!isSeq(items) || items.flow) return;
  items.items.forEach((item, i) => {
    if (isCollection(item) || isScalar(item)) item.spaceBefore = i > 0;
  });
}
