/**
 * Splits a text into statements at each `;` that ends a statement for Postgres itself, and finds the placeholders.
 *
 * Owns: quotes, escapes, dollar quotes, nested comments, parentheses, bodies that begin with BEGIN ATOMIC. Does not
 * own: whether a statement is valid, which the server decides. An unclosed quote extends to the end of the text.
 */

export interface Statement {
  /** With its placeholders numbered from $1 in the order in which they are first used. */
  text: string;
  /** What each placeholder stands for: a name, or a position from 0. */
  uses: (string | number)[];
  /** The number of its first line in the whole text, from 1. */
  line: number;
}

export type Placeholders = 'none' | 'numbered' | 'named';

const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const SPACE = /\s+/y;
const NUMBERED = /\$(\d+)/y;
const NAMED = /:([A-Za-z_]\w*)|%\(([A-Za-z_]\w*)\)s/y;
const POSITIONAL = /%s(?!\w)/y;

/** `known`: the only names that count; if absent, every name counts. */
export function splitSql(
  text: string,
  placeholders: Placeholders = 'none',
  known?: ReadonlySet<string>,
): Statement[] {
  const statements: Statement[] = [];
  const { length } = text;
  let draft = new Draft(0, 1, known);
  let at = 0;
  while (at < length) {
    if (text[at] === ';' && draft.isOutside) {
      draft.finish(text, at, statements);
      at += 1;
      draft = new Draft(at, lineAt(text, draft.start, at, draft.startLine), known);
      continue;
    }
    at = draft.take(text, at, placeholders);
  }
  draft.finish(text, length, statements);
  return statements;
}

/** The statement without comments before its first word. */
export function bare(statement: string): string {
  return statement.replace(/^(\s|--[^\n]*(\n|$)|\/\*.*?\*\/)+/s, '');
}

class Draft {
  readonly uses: (string | number)[] = [];
  private readonly words: string[] = [];
  private parts = '';
  private copied: number;
  private parentheses = 0;
  private blocks = 0;
  private positional = 0;
  private firstToken = -1;

  constructor(
    readonly start: number,
    readonly startLine: number,
    private readonly known?: ReadonlySet<string>,
  ) {
    this.copied = start;
  }

  get isOutside(): boolean {
    return this.parentheses === 0 && this.blocks === 0;
  }

  /** Reads one token and returns where the next begins. */
  take(text: string, at: number, placeholders: Placeholders): number {
    const space = match(SPACE, text, at);
    if (space) return at + space[0].length;
    const comment = commentEnd(text, at);
    if (comment !== undefined) return comment;
    if (this.firstToken < 0) this.firstToken = at;
    const quote = quoteEnd(text, at);
    if (quote !== undefined) return quote;
    const word = match(WORD, text, at);
    if (word) return at + this.word(word[0]);
    const used = placeholders === 'none' ? undefined : this.placeholder(text, at, placeholders);
    if (used !== undefined) return used;
    const char = text[at];
    if (char === '(') this.parentheses += 1;
    if (char === ')' && this.parentheses > 0) this.parentheses -= 1;
    return char === ':' && text[at + 1] === ':' ? at + 2 : at + 1;
  }

  finish(text: string, end: number, into: Statement[]): void {
    if (this.firstToken < 0) return;
    const whole = this.parts + text.slice(this.copied, end);
    into.push({
      text: whole.trim(),
      uses: this.uses,
      line: lineAt(text, this.start, this.firstToken, this.startLine),
    });
  }

  /** A routine may contain `BEGIN ATOMIC … END`, and a `CASE … END` inside. These words count only there. */
  private word(word: string): number {
    const lower = word.toLowerCase();
    if (this.words.length < 5) this.words.push(lower);
    if (this.parentheses === 0 && this.isRoutine()) {
      if (lower === 'begin') this.blocks += 1;
      else if (lower === 'case' && this.blocks > 0) this.blocks += 1;
      else if (lower === 'end' && this.blocks > 0) this.blocks -= 1;
    }
    return word.length;
  }

  private isRoutine(): boolean {
    const [first, ...rest] = this.words;
    if (first !== 'create') return false;
    const kind = rest[0] === 'or' && rest[1] === 'replace' ? rest[2] : rest[0];
    return kind === 'function' || kind === 'procedure';
  }

  private placeholder(text: string, at: number, placeholders: Placeholders): number | undefined {
    const named = placeholders === 'named' && isFree(text, at) ? match(NAMED, text, at) : undefined;
    const name = named?.[1] ?? named?.[2];
    if (named && name !== undefined && (this.known?.has(name) ?? true))
      return this.use(name, text, at, named[0].length);
    const numbered = placeholders === 'numbered' ? match(NUMBERED, text, at) : undefined;
    if (numbered) return this.use(Number(numbered[1]) - 1, text, at, numbered[0].length);
    const next = placeholders === 'numbered' ? match(POSITIONAL, text, at) : undefined;
    return next ? this.use(this.positional++, text, at, next[0].length) : undefined;
  }

  private use(what: string | number, text: string, at: number, length: number): number {
    if (!this.uses.includes(what)) this.uses.push(what);
    this.parts += `${text.slice(this.copied, at)}$${this.uses.indexOf(what) + 1}`;
    this.copied = at + length;
    return this.copied;
  }
}

/** `a:b` in an array slice is not a placeholder. */
function isFree(text: string, at: number): boolean {
  return text[at] !== ':' || !/[\w\])]/.test(text[at - 1] ?? '');
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function commentEnd(text: string, at: number): number | undefined {
  if (text.startsWith('--', at)) {
    const end = text.slice(at).search(/[\n\r]/);
    return end < 0 ? text.length : at + end;
  }
  if (!text.startsWith('/*', at)) return undefined;
  let depth = 0;
  for (const found of text.slice(at).matchAll(/\/\*|\*\//g)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return at + found.index + 2;
  }
  return text.length;
}

function quoteEnd(text: string, at: number): number | undefined {
  const char = text[at];
  if (char === "'") return closing(text, at + 1, "'");
  if (char === '"') return closing(text, at + 1, '"');
  if ((char === 'e' || char === 'E') && text[at + 1] === "'") return escapedEnd(text, at + 2);
  const tag = char === '$' ? match(DOLLAR_TAG, text, at)?.[0] : undefined;
  if (tag === undefined) return undefined;
  const end = text.indexOf(tag, at + tag.length);
  return end < 0 ? text.length : end + tag.length;
}

/** A doubled quote reads as two quoted texts in a row, so it needs no special case. */
function closing(text: string, from: number, quote: string): number {
  const end = text.indexOf(quote, from);
  return end < 0 ? text.length : end + 1;
}

function escapedEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === "'" && text[at + 1] === "'") at += 1;
    else if (text[at] === "'") return at + 1;
  }
  return text.length;
}

function lineAt(text: string, from: number, to: number, line: number): number {
  let count = line;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
