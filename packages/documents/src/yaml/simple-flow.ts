/**
 * Values on one line for `parseSimple`: scalars, and flow collections of them. Undefined if YAML could see more in
 * them.
 */
import { exactNumber } from './exact-number.ts';
import { type Entry, extentOf, type Node, type ScalarNode } from './tree.ts';

const SINGLE = /'(?:[^'\n]|'')*'/y;
const DOUBLE = /"(?:[^"\\\n]|\\["\\/bfnrt])*"/y;
/**
 * Begins with nothing that has a meaning in YAML; ends before a comment, or before a colon that would make it a key.
 */
const PLAIN = /[A-Za-z0-9_./+=$~^(-][^\n#:]*(?:(?:(?<! )#|:(?! |\n|$))[^\n#:]*)*/y;
const PLAIN_IN_FLOW = /[A-Za-z0-9_./+=$^(-][^\n#:,[\]{}]*(?:(?:(?<! )#|:(?![ ,[\]{}\n]|$))[^\n#:,[\]{}]*)*/y;
const NUMBER = /^[-+]?(?:[0-9]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;
const ODD_NUMBER = /^[-+]?(?:0o|0x|\.(?:inf|Inf|INF|nan|NaN|NAN)$)/;
const WORDS = new Map<string, boolean | null>([
  ...['true', 'True', 'TRUE'].map((word): [string, boolean] => [word, true]),
  ...['false', 'False', 'FALSE'].map((word): [string, boolean] => [word, false]),
  ...['null', 'Null', 'NULL'].map((word): [string, null] => [word, null]),
]);
const MAX_FLOW_DEPTH = 20;

export class SimpleFlow {
  #at = 0;
  #end = 0;

  constructor(readonly text: string) {}

  /** The single value between these offsets of a line, with at most a comment after it. */
  line(start: number, end: number): Node | undefined {
    this.#at = start;
    this.#end = end;
    const node = this.#value(0);
    if (node === undefined) return undefined;
    const after = this.#at;
    this.#skipBlanks();
    const isComment = this.text[this.#at] === '#' && this.#at > after;
    return this.#at === end || isComment ? node : undefined;
  }

  #value(depth: number): Node | undefined {
    switch (this.text[this.#at]) {
      case '{':
        return depth < MAX_FLOW_DEPTH ? this.#map(depth + 1) : undefined;
      case '[':
        return depth < MAX_FLOW_DEPTH ? this.#list(depth + 1) : undefined;
      case '"':
        return this.#quoted(DOUBLE, 'double');
      case "'":
        return this.#quoted(SINGLE, 'single');
      default:
        return this.#plain(depth > 0 ? PLAIN_IN_FLOW : PLAIN);
    }
  }

  #list(depth: number): Node | undefined {
    const start = this.#at++;
    const items: Node[] = [];
    if (!this.#takes(']')) {
      do {
        this.#skipBlanks();
        const item = this.#value(depth);
        if (item === undefined) return undefined;
        items.push(item);
      } while (this.#takes(','));
      if (!this.#takes(']')) return undefined;
    }
    return { type: 'list', items, start, end: this.#at, ...extentOf(items) };
  }

  #map(depth: number): Node | undefined {
    const start = this.#at++;
    // `{{` is an unquoted template, and has an error of its own.
    if (this.text[this.#at] === '{') return undefined;
    const entries = new Map<string, Entry>();
    if (!this.#takes('}')) {
      do {
        const entry = this.#entry(depth);
        if (entry === undefined || entries.has(entry.key)) return undefined;
        entries.set(entry.key, entry);
      } while (this.#takes(','));
      if (!this.#takes('}')) return undefined;
    }
    const values = [...entries.values()].map((entry) => entry.value);
    return { type: 'map', entries, start, end: this.#at, ...extentOf(values) };
  }

  #entry(depth: number): Entry | undefined {
    this.#skipBlanks();
    const key = this.#value(MAX_FLOW_DEPTH);
    if (key?.type !== 'scalar' || typeof key.value !== 'string' || key.value === '') return undefined;
    if (this.text[this.#at] !== ':' || this.text[this.#at + 1] !== ' ') return undefined;
    this.#at += 1;
    this.#skipBlanks();
    const value = this.#value(depth);
    return value && { key: key.value, at: { start: key.start, end: key.end }, value };
  }

  #quoted(pattern: RegExp, style: 'single' | 'double'): ScalarNode | undefined {
    const start = this.#at;
    const written = this.#match(pattern);
    if (written === undefined) return undefined;
    const value =
      style === 'double' ? (JSON.parse(written) as string) : written.slice(1, -1).replaceAll("''", "'");
    return { type: 'scalar', value, style, start, end: this.#at, size: 1 + (value.length >> 6), depth: 1 };
  }

  #plain(pattern: RegExp): ScalarNode | undefined {
    const start = this.#at;
    const written = this.#match(pattern)?.trimEnd();
    if (written === undefined || /^(-|~|- .*|\.\.\.|---)$/.test(written) || ODD_NUMBER.test(written))
      return undefined;
    this.#at = start + written.length;
    const value = plainValue(written);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return undefined;
      const number = exactNumber(written, value);
      return { type: 'scalar', ...number, style: 'plain', start, end: this.#at, size: 1, depth: 1 };
    }
    const size = 1 + (typeof value === 'string' ? value.length >> 6 : 0);
    return { type: 'scalar', value, style: 'plain', start, end: this.#at, size, depth: 1 };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined || this.#at + found.length > this.#end) return undefined;
    this.#at += found.length;
    return found;
  }

  #takes(sign: string): boolean {
    this.#skipBlanks();
    if (this.#at >= this.#end || this.text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipBlanks(): void {
    while (this.#at < this.#end && this.text.charCodeAt(this.#at) === 0x20) this.#at += 1;
  }
}

function plainValue(written: string): string | number | boolean | null {
  const word = WORDS.get(written);
  if (word !== undefined) return word;
  return NUMBER.test(written) ? Number(written) : written;
}
