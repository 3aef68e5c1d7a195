/**
 * Splits a simple text with a long list into a frame without the list and one piece per item, each a text of its own.
 *
 * Printing YAML with all its comments costs a hundred times as much as reading it. But the items of a long list are
 * very similar: with a word in place of each value many are identical, and those need to be printed only once.
 */
import { parseSimple } from './parse-simple.ts';
import type { Entry, ListNode, MapNode, Node } from './tree.ts';

export interface Pieces {
  /** The text with one item in place of all. */
  frame: string;
  /** Each item with the key of the list above it, and words in place of its values. */
  pieces: string[];
  /** Puts the printed items into the printed frame; undefined if the frame has no place for them. */
  join(frame: string, pieces: readonly string[]): string | undefined;
}

const FEWEST = 100;

/** Undefined: the list is short, or the text is not simple enough to be split. */
export function cutInPieces(text: string, key: string, fewest = FEWEST): Pieces | undefined {
  const root = parseSimple(text);
  const entry = root?.type === 'map' ? root.entries.get(key) : undefined;
  const list = entry?.value;
  if (list?.type !== 'list' || list.items.length < fewest || text[list.start] === '[') return undefined;
  const cuts = cutsOf(text, entry!, list);
  if (cuts === undefined) return undefined;
  const end = endOf(text, root as MapNode, entry!, list);
  const word = unusedWord(text);
  const pieces = list.items.map((item, index) =>
    withWords(text, item, cuts[index]!, cuts[index + 1] ?? end, word),
  );
  return {
    frame: `${text.slice(0, cuts[0])}  - ${word}\n${text.slice(end)}`,
    pieces: pieces.map(({ worded }) => `${key}:\n${worded}\n`),
    join(frame, printed) {
      const place = `\n  - ${word}\n`;
      if (!frame.includes(place)) return undefined;
      const words = new RegExp(`${word}(\\d+)_`, 'g');
      const items = printed.map((piece, index) =>
        piece.slice(key.length + 2).replaceAll(words, (_, at: string) => pieces[index]!.values[Number(at)]!),
      );
      return frame.replace(place, () => `\n${items.join('\n')}`);
    },
  };
}

/** Where the text of each item begins; undefined if one does not begin on a line of its own. */
function cutsOf(text: string, { at }: Entry, { items }: ListNode): number[] | undefined {
  const cuts: number[] = [];
  for (const [index, { start }] of items.entries()) {
    const line = text.lastIndexOf('\n', start - 1) + 1;
    if (!/^ *- +$/.test(text.slice(line, start))) return undefined;
    cuts.push(index === 0 ? lineAfter(text, at.end) : withComments(text, items[index - 1]!.end, line));
  }
  return cuts;
}

function lineAfter(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  return next < 0 ? text.length : next + 1;
}

/** Comments above an item, no deeper than its dash, belong to it. */
function withComments(text: string, before: number, dash: number): number {
  const depth = text.indexOf('-', dash) - dash;
  for (let line = lineAfter(text, before - 1); line < dash; line = lineAfter(text, line)) {
    const indent = /^( *)#/.exec(text.slice(line, lineAfter(text, line)))?.[1]?.length;
    if (indent !== undefined && indent <= depth) return line;
  }
  return dash;
}

/** Unindented comments belong to what follows the list. */
function endOf(text: string, root: MapNode, { at }: Entry, { items }: ListNode): number {
  const next = [...root.entries.values()].find((entry) => entry.at.start > at.start);
  const last = next === undefined ? text.length : next.at.start;
  for (let line = lineAfter(text, items.at(-1)!.end - 1); line < last; line = lineAfter(text, line))
    if (text[line] === '#') return withoutBlanks(text, line);
  return withoutBlanks(text, last);
}

/** Blank lines at the end stay where they are. */
function withoutBlanks(text: string, end: number): number {
  return lineAfter(text, text.slice(0, end).trimEnd().length);
}

function withWords(text: string, item: Node, from: number, end: number, word: string) {
  const values: string[] = [];
  let worded = '';
  let at = from;
  const visit = (node: Node): void => {
    if (node.type === 'list') for (const each of node.items) visit(each);
    else if (node.type === 'map') for (const { value } of node.entries.values()) visit(value);
    else if (node.end > node.start) {
      worded += `${text.slice(at, node.start)}${word}${values.length}_`;
      values.push(text.slice(node.start, node.end));
      at = node.end;
    }
  };
  visit(item);
  return { worded: (worded + text.slice(at, end)).trimEnd(), values };
}

function unusedWord(text: string): string {
  let word = 'Items';
  while (text.includes(word)) word += 'x';
  return word;
}
