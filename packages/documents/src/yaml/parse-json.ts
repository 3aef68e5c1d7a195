/**
 * Strict JSON to the tree, many times as fast as YAML, of which JSON is a subset.
 *
 * Returns undefined unless the text is plainly JSON that YAML would read the same way (syntax, duplicate keys, depth,
 * numbers that are too large): `parseYaml` then reads it and reports what is wrong.
 */
import { exactNumber } from './exact-number.ts';
import { MAX_CHARACTERS, MAX_DEPTH } from './limits.ts';
import type { Entry, ListNode, MapNode, Node, ScalarNode } from './tree.ts';

export function parseJson(text: string): Node | undefined {
  if (text.length > MAX_CHARACTERS || !/^[ \t\n\r]*\{/.test(text)) return undefined;
  const reader = new JsonReader(text);
  const root = reader.value(1);
  return root && reader.isAtEnd() ? root : undefined;
}

const BLANKS = /[ \t\n\r]*/y;
// A string with a backslash needs JSON.parse; most have none.
const SIMPLE_STRING = /"[^"\\\p{Cc}]*"/uy;
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORD = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const WORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

class JsonReader {
  #at = 0;

  constructor(readonly text: string) {}

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.text.length;
  }

  value(depth: number): Node | undefined {
    this.#skipBlanks();
    switch (this.text[this.#at]) {
      case '{':
        return depth > MAX_DEPTH / 2 ? undefined : this.#map(depth);
      case '[':
        return depth > MAX_DEPTH / 2 ? undefined : this.#list(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #map(depth: number): MapNode | undefined {
    const start = this.#at++;
    const entries = new Map<string, Entry>();
    let size = 1;
    let deepest = 0;
    if (this.#takes('}')) return { type: 'map', entries, start, end: this.#at, size, depth: 1 };
    do {
      this.#skipBlanks();
      const key = this.#string();
      if (key === undefined || entries.has(key.value as string) || !this.#takes(':')) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.set(key.value as string, {
        key: key.value as string,
        at: { start: key.start, end: key.end },
        value,
      });
      size += value.size;
      deepest = Math.max(deepest, value.depth);
    } while (this.#takes(','));
    if (!this.#takes('}')) return undefined;
    return { type: 'map', entries, start, end: this.#at, size, depth: deepest + 1 };
  }

  #list(depth: number): ListNode | undefined {
    const start = this.#at++;
    const items: Node[] = [];
    let size = 1;
    let deepest = 0;
    if (this.#takes(']')) return { type: 'list', items, start, end: this.#at, size, depth: 1 };
    do {
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      items.push(value);
      size += value.size;
      deepest = Math.max(deepest, value.depth);
    } while (this.#takes(','));
    if (!this.#takes(']')) return undefined;
    return { type: 'list', items, start, end: this.#at, size, depth: deepest + 1 };
  }

  #string(): ScalarNode | undefined {
    const start = this.#at;
    const simple = this.#match(SIMPLE_STRING);
    const written = simple ?? this.#match(STRING);
    if (written === undefined) return undefined;
    const value = simple === undefined ? (JSON.parse(written) as string) : written.slice(1, -1);
    const size = 1 + (value.length >> 6);
    return { type: 'scalar', value, style: 'double', start, end: this.#at, size, depth: 1 };
  }

  #word(): ScalarNode | undefined {
    const start = this.#at;
    const written = this.#match(WORD);
    if (written === undefined) return undefined;
    const word = WORDS.get(written);
    const place = { start, end: this.#at, size: 1, depth: 1 };
    if (word !== undefined) return { type: 'scalar', value: word, style: 'plain', ...place };
    const number = exactNumber(written, Number(written));
    if (!Number.isFinite(number.value)) return undefined;
    return { type: 'scalar', ...number, style: 'plain', ...place };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #takes(sign: string): boolean {
    this.#skipBlanks();
    if (this.text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #skipBlanks(): void {
    const code = this.text.charCodeAt(this.#at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    BLANKS.lastIndex = this.#at;
    this.#at += BLANKS.exec(this.text)![0].length;
  }
}
