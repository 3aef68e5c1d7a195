/**
 * Owns: source text → tokens, in one pass and linear time. Jinja2's defaults apply: trim_blocks and lstrip_blocks are
 * off, one trailing newline of the source is dropped, `\r\n` and `\r` are read as `\n`.
 * Does not own: string escapes (string-literal.ts), grammar (*-parser.ts).
 */
import { decodeString } from './string-literal.ts';
import { Fault } from './template-error.ts';
import { makeFloat } from './values.ts';

export type TokenType =
  | 'data'
  | 'print'
  | 'printend'
  | 'tag'
  | 'tagend'
  | 'name'
  | 'number'
  | 'string'
  | 'op'
  | 'end';

export interface Token {
  readonly type: TokenType;
  /** The name, the operator, the text of a data or string token. */
  readonly text: string;
  readonly number?: unknown;
  readonly start: number;
  readonly end: number;
}

const OPENER = /\{\{[-+]?|\{%[-+]?|\{#[-+]?/g;
const RAW = /\{%[-+]?\s*raw\s*(-?)%\}/y;
const ENDRAW = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const SPACE = /\s+/y;
/** Compiling the Unicode pattern takes a millisecond, which plain names do not have to wait for. */
const ASCII_NAME = /[A-Za-z_]\w*(?![\w\u0080-\uffff])/y;
const NAME_START = /[A-Za-z_\u0080-\uffff]/;
const unicodeName = (): RegExp => /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy;
const NUMBER =
  /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)?/y;
const DIGITS = /\d+/y;
const STRING = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+*/%~[\](){}<>=.:|,;]/y;
/** Limits that no honest template reaches. They end hostile ones early. */
const MAX_TOKENS = 100_000;
const MAX_BRACKETS = 200;
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

export function normaliseNewlines(source: string): string {
  return source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
}

/** Tokens of a template with tags. Throws a Fault with its position. */
export function tokeniseTemplate(whole: string): Token[] {
  const source = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    OPENER.lastIndex = at;
    const opener = OPENER.exec(source);
    if (!opener) {
      pushData(tokens, source, at, source.length);
      break;
    }
    const mark = opener[0];
    pushData(tokens, source, at, opener.index, mark.endsWith('-'));
    at = openTag(tokens, source, opener.index, mark);
  }
  tokens.push({ type: 'end', text: '', start: source.length, end: source.length });
  return tokens;
}

function openTag(tokens: Token[], source: string, start: number, mark: string): number {
  if (mark.startsWith('{#')) return skipComment(source, start, mark.length);
  RAW.lastIndex = start;
  const raw = mark.startsWith('{%') ? RAW.exec(source) : null;
  if (raw) return rawBlock(tokens, source, start, RAW.lastIndex, raw[1] === '-');
  const printing = mark.startsWith('{{');
  tokens.push({ type: printing ? 'print' : 'tag', text: mark, start, end: start + mark.length });
  return tokeniseInside(tokens, source, start + mark.length, printing ? '}}' : '%}', start);
}

/** Tokens of a bare expression. */
export function tokeniseExpression(source: string): Token[] {
  const tokens: Token[] = [];
  tokeniseInside(tokens, source, 0, undefined, 0);
  tokens.push({ type: 'end', text: '', start: source.length, end: source.length });
  return tokens;
}

/** `trim` drops white space at the end, before a tag that opens with `-`. */
function pushData(tokens: Token[], source: string, start: number, end: number, trim = false): void {
  const text = trim ? source.slice(start, end).trimEnd() : source.slice(start, end);
  if (text !== '') tokens.push({ type: 'data', text, start, end });
}

function skipComment(source: string, start: number, skip: number): number {
  const end = source.indexOf('#}', start + skip);
  if (end < 0) throw syntax(source, start, start + 2, 'this comment is never closed', 'close it with #}');
  return source[end - 1] === '-' ? skipSpace(source, end + 2) : end + 2;
}

function rawBlock(
  tokens: Token[],
  source: string,
  start: number,
  bodyStart: number,
  trimStart: boolean,
): number {
  ENDRAW.lastIndex = bodyStart;
  const close = ENDRAW.exec(source);
  if (!close)
    throw syntax(source, start, bodyStart, 'this raw block is never closed', 'close it with {% endraw %}');
  pushData(
    tokens,
    source,
    trimStart ? skipSpace(source, bodyStart) : bodyStart,
    close.index,
    close[1] === '-',
  );
  return close[2] === '-' ? skipSpace(source, ENDRAW.lastIndex) : ENDRAW.lastIndex;
}

function skipSpace(source: string, at: number): number {
  SPACE.lastIndex = at;
  return SPACE.test(source) ? SPACE.lastIndex : at;
}

/** Reads tokens up to `close` outside any bracket, or to the end of the source for a bare expression. */
function tokeniseInside(
  tokens: Token[],
  source: string,
  from: number,
  close: string | undefined,
  opened: number,
): number {
  const brackets: string[] = [];
  let at = skipSpace(source, from);
  while (at < source.length) {
    if (close !== undefined && brackets.length === 0) {
      const dash = source[at] === '-' || (source[at] === '+' && close === '%}') ? 1 : 0;
      if (source.startsWith(close, at + dash)) {
        const end = at + dash + close.length;
        tokens.push({ type: close === '}}' ? 'printend' : 'tagend', text: close, start: at, end });
        return source[at] === '-' ? skipSpace(source, end) : end;
      }
    }
    const token = tokenAt(source, at, tokens.at(-1));
    if (token.type === 'op') balance(brackets, token, source);
    tokens.push(token);
    if (tokens.length > MAX_TOKENS) throw tooLarge(source, at, 'this template has too many parts');
    at = skipSpace(source, token.end);
  }
  if (close === undefined) return at;
  throw syntax(
    source,
    opened,
    opened + 2,
    `this ${close === '}}' ? '{{' : '{%'} is never closed`,
    `close it with ${close}`,
  );
}

function tokenAt(source: string, at: number, last: Token | undefined): Token {
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const make = (type: TokenType, raw: string, text: string, number?: unknown): Token => ({
    type,
    text,
    number,
    start: at,
    end: at + raw.length,
  });
  const name = match(ASCII_NAME) ?? (NAME_START.test(source[at]!) ? match(unicodeName()) : undefined);
  if (name !== undefined) return make('name', name, name);
  // After a dot, `0.1` in `a.0.1` is two indices, not a float.
  const number = match(last?.type === 'op' && last.text === '.' ? DIGITS : NUMBER);
  if (number !== undefined) return make('number', number, number, readNumber(number));
  const text = source[at] === "'" || source[at] === '"' ? match(STRING) : undefined;
  if (text !== undefined) return make('string', text, decodeString(text.slice(1, -1), source, at));
  const operator = match(OPERATOR);
  if (operator !== undefined) return make('op', operator, operator);
  const odd = String.fromCodePoint(source.codePointAt(at)!);
  const quote = odd === "'" || odd === '"';
  throw syntax(
    source,
    at,
    at + odd.length,
    quote ? 'this string is never closed' : `unexpected character ${JSON.stringify(odd)}`,
    quote ? `close it with ${odd}` : undefined,
  );
}

function balance(brackets: string[], token: Token, source: string): void {
  if (token.text === '(' || token.text === '[' || token.text === '{') brackets.push(token.text);
  if (brackets.length > MAX_BRACKETS) throw tooLarge(source, token.start, 'this template nests too deeply');
  const opener = CLOSERS[token.text];
  if (opener === undefined) return;
  const open = brackets.pop();
  if (open === opener) return;
  const expected = open === undefined ? 'nothing is open' : `"${open}" is open`;
  throw syntax(source, token.start, token.end, `unexpected "${token.text}": ${expected}`);
}

const MAX_DIGITS = 4300;

function readNumber(raw: string): unknown {
  const text = raw.replaceAll('_', '');
  if (/^0[box]/i.test(text) || /^\d+$/.test(text)) {
    if (text.length > MAX_DIGITS)
      throw new Fault('expr/syntax', `a number of ${text.length} digits is too long`);
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  return makeFloat(Number(text));
}

function tooLarge(source: string, start: number, message: string): Fault {
  return new Fault('expr/fuel', message, 'split it into smaller templates', {
    source,
    start,
    end: start + 1,
  });
}

export function syntax(source: string, start: number, end: number, message: string, hint?: string): Fault {
  return new Fault('expr/syntax', message, hint, { source, start, end });
}
