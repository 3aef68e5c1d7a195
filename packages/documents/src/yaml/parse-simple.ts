/**
 * Simple YAML to the tree, many times as fast as the library: block maps and lists, scalars and flow collections on one
 * line, comments. Nearly every document consists of these.
 *
 * Returns undefined if a text has more than that (anchors, tags, block scalars, text over several lines, unusual
 * indents), or if anything about it could be wrong: `parseYaml` then reads it and reports it. Any result is the same as
 * `parseYaml`'s.
 */
import { MAX_CHARACTERS, MAX_DEPTH } from './limits.ts';
import { SimpleFlow } from './simple-flow.ts';
import { type Entry, extentOf, type ListNode, type MapNode, type Node } from './tree.ts';

/** A line that is not blank. */
interface Line {
  indent: number;
  /** Offsets of its first visible character and of its end. */
  start: number;
  end: number;
}

export function parseSimple(text: string): Node | undefined {
  // Tabs, other control characters, and unusual line ends: each has rules of its own in YAML.
  if (text.length > MAX_CHARACTERS || /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(text))
    return undefined;
  const lines = linesOf(text);
  if (lines.length === 0 || lines[0]!.indent !== 0) return undefined;
  const reader = new SimpleReader(text, lines);
  const root = reader.block(0, 1);
  return root && reader.isAtEnd() ? root : undefined;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('\n', from);
    const end = next === -1 ? text.length : next;
    let start = from;
    while (start < end && text.charCodeAt(start) === 0x20) start += 1;
    if (start < end && text[start] !== '#') lines.push({ indent: start - from, start, end });
    from = end + 1;
  }
  return lines;
}

/** A key without quotes that is certainly text, up to its colon. */
const KEY = /[A-Za-z_][\w.-]*:(?= |\n|$)/y;
/** Keys that are not text, or merge keys. */
const NOT_TEXT = /^(true|false|null|True|False|Null|TRUE|FALSE|NULL)$/;

class SimpleReader {
  #at = 0;
  readonly #flow: SimpleFlow;

  constructor(
    readonly text: string,
    readonly lines: readonly Line[],
  ) {
    this.#flow = new SimpleFlow(text);
  }

  isAtEnd(): boolean {
    return this.#at === this.lines.length;
  }

  /** The collection that begins at this line, whose entries all have this indent. */
  block(indent: number, depth: number): Node | undefined {
    if (depth > MAX_DEPTH / 2) return undefined;
    const line = this.lines[this.#at]!;
    return this.#isItem(line.start, line.end) ? this.#list(indent, depth) : this.#map(indent, depth);
  }

  #isItem(start: number, end: number): boolean {
    return this.text[start] === '-' && (start + 1 === end || this.text[start + 1] === ' ');
  }

  #list(indent: number, depth: number): ListNode | undefined {
    const { start } = this.lines[this.#at]!;
    const items: Node[] = [];
    let end = start;
    for (let line = this.lines[this.#at]; line?.indent === indent; line = this.lines[this.#at]) {
      // After a list at the indent of its key, the next key follows.
      if (!this.#isItem(line.start, line.end)) break;
      const item = this.#item(line, indent, depth);
      if (item === undefined) return undefined;
      items.push(item);
      end = item.end;
    }
    return { type: 'list', items, start, end, ...extentOf(items) };
  }

  #item(line: Line, indent: number, depth: number): Node | undefined {
    const start = skipBlanks(this.text, line.start + 1, line.end);
    if (start === line.end || this.text[start] === '#') return undefined;
    const column = indent + (start - line.start);
    if (this.#isItem(start, line.end)) return undefined;
    if (!this.#hasKey(start)) return this.#inline(start, line, indent);
    // `- key: value`: the map begins on the line of its dash.
    (this.lines as Line[])[this.#at] = { indent: column, start, end: line.end };
    return this.block(column, depth + 1);
  }

  #hasKey(start: number): boolean {
    KEY.lastIndex = start;
    return KEY.test(this.text);
  }

  #map(indent: number, depth: number): MapNode | undefined {
    const { start } = this.lines[this.#at]!;
    const entries = new Map<string, Entry>();
    for (let line = this.lines[this.#at]; line?.indent === indent; line = this.lines[this.#at]) {
      KEY.lastIndex = line.start;
      const found = KEY.exec(this.text)?.[0];
      if (found === undefined) return undefined;
      const key = found.slice(0, -1);
      const at = { start: line.start, end: line.start + key.length };
      if (entries.has(key) || NOT_TEXT.test(key)) return undefined;
      const value = this.#value(at.end + 1, line, indent, depth);
      if (value === undefined) return undefined;
      entries.set(key, { key, at, value });
    }
    const values = [...entries.values()].map((entry) => entry.value);
    return { type: 'map', entries, start, end: values.at(-1)!.end, ...extentOf(values) };
  }

  #value(from: number, line: Line, indent: number, depth: number): Node | undefined {
    const start = skipBlanks(this.text, from, line.end);
    if (start !== line.end && this.text[start] !== '#') return this.#inline(start, line, indent);
    const next = this.lines[this.#at + 1];
    const isBelow = next !== undefined && next.indent > indent;
    const isList = next !== undefined && next.indent === indent && this.#isItem(next.start, next.end);
    // A key without a value: where exactly the library places its value depends on what follows.
    if (!isBelow && !isList) return undefined;
    this.#at += 1;
    return this.block(next!.indent, depth + 1);
  }

  /** A value that ends on its line, with nothing below that belongs to it. */
  #inline(start: number, line: Line, indent: number): Node | undefined {
    const next = this.lines[this.#at + 1];
    if (next !== undefined && next.indent > indent) return undefined;
    this.#at += 1;
    return this.#flow.line(start, line.end);
  }
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === 0x20) at += 1;
  return at;
}
