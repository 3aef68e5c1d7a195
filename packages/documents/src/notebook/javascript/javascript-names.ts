/**
 * The names that JavaScript code provides to other cells and the names that it takes from them. A heuristic that would
 * rather miss a name than invent one: a name that the code binds anywhere, in any scope, is never one that it takes.
 *
 * Brackets are paired first. Then one walk marks what binds names (declarations, parameters, patterns), and a second
 * reads the rest. Code of functions counts if they are passed to a call: `rows.map((row) => row * scale)`.
 */
import type { CellNames } from '../cell-names.ts';
import { type JavascriptToken, javascriptTokens } from './javascript-tokens.ts';
import { BLOCK_WORDS, IGNORED_NAMES, KEYWORDS, OPENING_NAMES } from './javascript-words.ts';

/** `undefined` if the code cannot be read. */
export function javascriptNames(code: string): CellNames | undefined {
  const tokens = javascriptTokens(code);
  const pairs = tokens && pairsOf(tokens);
  return pairs && new NameFinder(tokens, pairs).names();
}

const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/** Maps the index of each bracket to that of its partner; undefined if one has no partner. */
function pairsOf(tokens: readonly JavascriptToken[]): Map<number, number> | undefined {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'sign') continue;
    if (text in CLOSING) open.push(i);
    else if (text === ')' || text === ']' || text === '}') {
      const start = open.pop();
      if (start === undefined || CLOSING[tokens[start]!.text] !== text) return undefined;
      pairs.set(start, i).set(i, start);
    }
  }
  return open.length === 0 ? pairs : undefined;
}

/** Longer patterns and parameter lists are data; analysing them would take time and find little. */
const MAX_TOKENS = 200;

/** What encloses a token. */
interface Place {
  /** The place is the body of a class itself, not of one of its methods. */
  isClass: boolean;
  /** Outside all functions and classes. */
  isTop: boolean;
  isInCall: boolean;
  /** A function that is passed to a call is assumed to run during it; any other runs only when it is called. */
  runsNow: boolean;
}

const OUTSIDE: Place = { isClass: false, isTop: true, isInCall: false, runsNow: true };
const isClosing = (text: string) => text === ')' || text === ']' || text === '}';

class NameFinder {
  readonly #defined = new Set<string>();
  readonly #bound = new Set<string>();
  readonly #used = new Map<string, number>();
  readonly #places: Place[] = [];
  /** Tokens that are not reads: bound names, keys. */
  readonly #settled = new Set<number>();
  /** Where the expression of an arrow function that does not run now ends. */
  #laterUntil = 0;
  #isOpen = false;

  constructor(
    readonly tokens: readonly JavascriptToken[],
    readonly pairs: ReadonlyMap<number, number>,
  ) {}

  names(): CellNames {
    for (const i of this.tokens.keys()) this.#bind(i);
    for (const i of this.tokens.keys()) this.#read(i);
    const used = [...this.#used].filter(([name]) => !this.#bound.has(name) && !IGNORED_NAMES.has(name));
    return { defined: this.#defined, used: new Map(used), isOpen: this.#isOpen };
  }

  get #place(): Place {
    return this.#places.at(-1) ?? OUTSIDE;
  }

  #text(i: number): string {
    const token = this.tokens[i];
    return token === undefined || token.kind === 'value' ? '' : token.text;
  }

  #isMember(i: number): boolean {
    return this.tokens[i]?.kind === 'name' && ['.', '?.'].includes(this.#text(i - 1));
  }

  #isName(i: number): boolean {
    const token = this.tokens[i];
    if (token?.kind !== 'name' || this.#isMember(i)) return false;
    return !KEYWORDS.has(token.text) && !token.text.startsWith('#');
  }

  /** Whether brackets after this token are a call or an index. */
  #isSubscripted(i: number): boolean {
    return this.#isName(i) || this.#isMember(i) || this.#text(i) === ')' || this.#text(i) === ']';
  }

  /** Tracks what encloses the tokens that follow. */
  #enter(i: number): void {
    const text = this.#text(i);
    if (isClosing(text)) this.#places.pop();
    else if (text in CLOSING) this.#places.push(this.#placeOf(i));
  }

  #placeOf(i: number): Place {
    const { isTop, isInCall, runsNow } = this.#place;
    if (this.#text(i) !== '{') {
      const isCall = this.#text(i) === '(' && this.#isSubscripted(i - 1);
      return { isClass: false, isTop, isInCall: isInCall || isCall, runsNow };
    }
    const isClass = this.#isClassBody(i);
    if (!isClass && !this.#isFunctionBody(i)) return { isClass, isTop, isInCall, runsNow };
    return { isClass, isTop: false, isInCall, runsNow: runsNow && isInCall && !isClass };
  }

  #isFunctionBody(i: number): boolean {
    if (this.#text(i - 1) !== ')') return this.#text(i - 1) === '=>';
    const head = this.pairs.get(i - 1)! - 1;
    return !BLOCK_WORDS.has(this.#text(head)) || this.#isMember(head);
  }

  /** `class A extends b(c) {`: searched for in the few tokens before. */
  #isClassBody(i: number): boolean {
    for (let at = i - 1; at >= 0 && at > i - 20; at--) {
      if (this.#text(at) === 'class') return true;
      if (['{', '}', ';', '=>'].includes(this.#text(at))) return false;
    }
    return false;
  }

  #bind(i: number): void {
    this.#enter(i);
    const text = this.#text(i);
    if (text === 'const' || text === 'let' || text === 'var') this.#declaration(i + 1, text);
    else if (text === 'function') this.#function(this.#text(i + 1) === '*' ? i + 2 : i + 1);
    else if (text === 'class') this.#mark(i + 1, this.#places.length === 0);
    else if (text === 'import') this.#import(i);
    else if (text === '=>') this.#parameters(i - 1);
    else if (text === 'catch') this.#bindAll(i + 1);
    else if (text === 'typeof') this.#mark(this.#text(i + 1) === '(' ? i + 2 : i + 1, false);
    else if (text === '=') this.#assigned(i - 1);
    else if (this.#isMethod(i)) {
      this.#settled.add(i);
      this.#bindAll(i + 1);
    }
  }

  /** `name(…) {` outside statements. */
  #isMethod(i: number): boolean {
    const { kind, text } = this.tokens[i]!;
    if (kind !== 'name' || this.#text(i + 1) !== '(' || BLOCK_WORDS.has(text)) return false;
    return this.#text(this.pairs.get(i + 1)! + 1) === '{';
  }

  /** One pattern after another: `a = 1, {b, c: [d]} = e`. */
  #declaration(start: number, word: string): void {
    const isShared = this.#place.isTop && (word === 'var' || this.#places.length === 0);
    for (let i = start; i < this.tokens.length; i++) {
      if (this.#text(i) === '{' || this.#text(i) === '[') {
        this.#bindAll(i, isShared);
        i = this.pairs.get(i)! + 1;
      } else if (this.#isName(i)) this.#mark(i++, isShared);
      else return;
      if (this.#text(i) === '=') i = this.#endOfValue(i + 1);
      if (this.#text(i) !== ',') return;
    }
  }

  /** The comma, or whatever else, after a value. */
  #endOfValue(start: number): number {
    const last = Math.min(this.tokens.length, start + MAX_TOKENS);
    for (let i = start; i < last; i++) {
      const text = this.#text(i);
      if (text === ',' || text === ';' || isClosing(text)) return i;
      if (i > start && this.#startsStatement(i)) return i;
      if (text in CLOSING) i = this.pairs.get(i)!;
    }
    return last;
  }

  /** Whether a line begins with a word after a line that ended with a value. */
  #startsStatement(i: number): boolean {
    const { kind, text, isFirst } = this.tokens[i]!;
    if (text === 'const' || text === 'let' || text === 'var') return true;
    const before = this.tokens[i - 1]!;
    const isEnd = before.kind === 'value' || this.#isSubscripted(i - 1) || before.text === '}';
    return isFirst && isEnd && kind === 'name' && text !== 'in' && text !== 'instanceof';
  }

  #function(i: number): void {
    this.#mark(i, this.#places.length === 0);
    this.#bindAll(this.#text(i) === '(' ? i : i + 1);
  }

  #import(i: number): void {
    if (this.#text(i + 1) === '(' || this.#text(i + 1) === '.') return;
    for (let at = i + 1; at < this.tokens.length; at++) {
      const text = this.#text(at);
      if (text === '' || text === ';' || KEYWORDS.has(text)) return;
      if (text !== 'as' && text !== 'from') this.#mark(at, this.#text(at + 1) !== 'as');
    }
  }

  /** Of an arrow function: one name, or brackets. */
  #parameters(i: number): void {
    if (this.#text(i) === ')') this.#bindAll(this.pairs.get(i)!);
    else this.#mark(i, false);
  }

  /** `a = 1` and `[a, b] = c`, outside functions: a name that is not declared is shared. */
  #assigned(i: number): void {
    if (this.#settled.has(i)) return;
    const { isTop, isInCall } = this.#place;
    if (this.#isName(i)) this.#mark(i, isTop && !isInCall && !this.#bound.has(this.#text(i)));
    else if (this.#text(i) === ']' || this.#text(i) === '}') {
      const start = this.pairs.get(i)!;
      if (!this.#isSubscripted(start - 1)) this.#bindAll(start, isTop);
    }
  }

  /** All names within brackets, except keys of a pattern. */
  #bindAll(start: number, isShared = false): void {
    const end = this.pairs.get(start) ?? start;
    if (end - start > MAX_TOKENS) this.#isOpen = true;
    for (let i = start + 1; i < Math.min(end, start + MAX_TOKENS); i++) {
      if (this.#isName(i) && this.#text(i + 1) === ':') this.#settled.add(i);
      else this.#mark(i, isShared);
    }
  }

  #mark(i: number, isShared: boolean): void {
    if (!this.#isName(i)) return;
    this.#settled.add(i);
    this.#bound.add(this.#text(i));
    if (isShared) this.#defined.add(this.#text(i));
  }

  #read(i: number): void {
    this.#enter(i);
    const { kind, text, at } = this.tokens[i]!;
    const { isTop, isInCall, isClass, runsNow } = this.#place;
    if (kind === 'name' && (OPENING_NAMES.has(text) || (text === 'this' && isTop))) this.#isOpen = true;
    if (text === '=>' && !isInCall && i >= this.#laterUntil) this.#laterUntil = this.#endOfValue(i + 1);
    if (!this.#isName(i) || this.#settled.has(i) || this.#used.has(text)) return;
    const isKey = this.#text(i + 1) === ':';
    const isLabel = ['break', 'continue'].includes(this.#text(i - 1)) && !this.tokens[i]!.isFirst;
    if (!isKey && !isLabel && !isClass && runsNow && i >= this.#laterUntil) this.#used.set(text, at);
  }
}
