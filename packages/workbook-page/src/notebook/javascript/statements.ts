/**
 * The top-level statements of a JavaScript text: where each begins and ends, and what it is. Line breaks end statements
 * where the language allows it; a text whose brackets do not match has none (the browser reports why).
 */
import type { Token } from './tokens.ts';

export interface Statement {
  kind: 'expression' | 'variables' | 'function' | 'class' | 'import' | 'other';
  /** Its tokens, without a final semicolon. */
  tokens: Token[];
}

const CONTROL = new Set(['if', 'for', 'while', 'with', 'do', 'switch', 'try', 'else']);
const PLAIN = new Set(['return', 'throw', 'break', 'continue', 'debugger', 'export']);
const OPEN: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

export function statementsOf(tokens: readonly Token[]): Statement[] | undefined {
  const partner = partnersOf(tokens);
  if (partner === undefined) return undefined;
  const reader = new StatementReader(tokens, partner);
  const found: Statement[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { kind, end } = reader.read(at);
    const last = tokens[end - 1]?.text === ';' ? end - 1 : end;
    if (last > at) found.push({ kind, tokens: tokens.slice(at, last) });
    at = end;
  }
  return found;
}

/** Maps the index of each opening bracket to that of the closing one. */
export function partnersOf(tokens: readonly Token[]): Map<number, number> | undefined {
  const partner = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { type, text }] of tokens.entries()) {
    if (type !== 'sign') continue;
    if (OPEN[text]) open.push(at);
    else if (text === ')' || text === ']' || text === '}') {
      const start = open.pop();
      if (start === undefined || OPEN[tokens[start]!.text] !== text) return undefined;
      partner.set(start, at);
    }
  }
  return open.length === 0 ? partner : undefined;
}

class StatementReader {
  constructor(
    private readonly tokens: readonly Token[],
    private readonly partner: ReadonlyMap<number, number>,
  ) {}

  /** The statement at this index, and where the next one begins. */
  read(at: number): { kind: Statement['kind']; end: number } {
    const { type, text } = this.tokens[at]!;
    const next = this.#text(at + 1);
    if (text === '{' && type === 'sign') return { kind: 'other', end: this.#behind(at) };
    if (type !== 'word') return { kind: 'expression', end: this.#endOfExpression(at) };
    if (
      text === 'function' ||
      (text === 'async' && next === 'function' && !this.tokens[at + 1]!.isFirstOfLine)
    )
      return { kind: 'function', end: this.#endOfBody(at) };
    if (text === 'class' && this.tokens[at + 1]?.type === 'word')
      return { kind: 'class', end: this.#endOfBody(at) };
    if (CONTROL.has(text)) return { kind: 'other', end: this.#endOfControl(at) };
    if (text === 'import' && next !== '(' && next !== '.')
      return { kind: 'import', end: this.#endOfExpression(at) };
    if (text === 'var' || text === 'const' || (text === 'let' && this.#startsNames(at + 1)))
      return { kind: 'variables', end: this.#endOfExpression(at) };
    if (next === ':')
      return { kind: 'other', end: at + 2 < this.tokens.length ? this.read(at + 2).end : at + 2 };
    return { kind: PLAIN.has(text) ? 'other' : 'expression', end: this.#endOfExpression(at) };
  }

  #text(at: number): string {
    return this.tokens[at]?.text ?? '';
  }

  /** The index after a bracket and everything in it. */
  #behind(at: number): number {
    return this.partner.get(at)! + 1;
  }

  #startsNames(at: number): boolean {
    const token = this.tokens[at];
    return token !== undefined && (token.type === 'word' || token.text === '[' || token.text === '{');
  }

  /** For a function or class: after the first braces that are not inside other brackets. */
  #endOfBody(at: number): number {
    let place = at;
    while (place < this.tokens.length && this.#text(place) !== '{')
      place = this.partner.has(place) ? this.#behind(place) : place + 1;
    return place < this.tokens.length ? this.#behind(place) : place;
  }

  #endOfControl(at: number): number {
    const word = this.#text(at);
    if (word === 'try') return this.#endOfTry(at);
    if (word === 'do') {
      const end = this.#statementEnd(at + 1);
      return this.#text(end) === 'while' ? this.#semicolon(this.#behind(end + 1)) : end;
    }
    let place = at + 1;
    while (this.#text(place) !== '(' && place < this.tokens.length && word !== 'else') place++;
    if (word !== 'else') place = this.#behind(place);
    if (word === 'switch') return this.#behind(place);
    const end = this.#statementEnd(place);
    return word === 'if' && this.#text(end) === 'else' ? this.#statementEnd(end + 1) : end;
  }

  #endOfTry(at: number): number {
    let end = this.#endOfBody(at);
    while (this.#text(end) === 'catch' || this.#text(end) === 'finally') end = this.#endOfBody(end);
    return end;
  }

  #statementEnd(at: number): number {
    return at < this.tokens.length ? this.read(at).end : at;
  }

  #semicolon(at: number): number {
    return this.#text(at) === ';' ? at + 1 : at;
  }

  #endOfExpression(at: number): number {
    let place = this.partner.has(at) ? this.#behind(at) : at + 1;
    while (place < this.tokens.length) {
      if (this.#text(place - 1) === ';') return place;
      if (this.#text(place) === ';' && this.tokens[place]!.type === 'sign') return place + 1;
      if (endsAtLine(this.tokens[place - 1]!, this.tokens[place]!)) return place;
      place = this.partner.has(place) ? this.#behind(place) : place + 1;
    }
    return place;
  }
}

const WANTS_MORE = new Set([
  ...['typeof', 'delete', 'void', 'new', 'in', 'of', 'instanceof', 'await', 'yield', 'async', 'extends'],
  ...['var', 'let', 'const', 'import', 'from', 'export', 'throw', 'function', 'class'],
]);

/** Whether the line break between two tokens ends a statement. */
function endsAtLine(before: Token, after: Token): boolean {
  if (!after.isFirstOfLine) return false;
  if (before.type === 'word' && WANTS_MORE.has(before.text)) return false;
  if (before.type === 'sign' && ![')', ']', '}', '++', '--'].includes(before.text)) return false;
  if (after.type === 'word')
    return after.text !== 'in' && after.text !== 'instanceof' && after.text !== 'from';
  if (after.type === 'text') return !after.text.startsWith('`');
  return after.type === 'number' || ['++', '--', '!', '~', '{'].includes(after.text);
}
