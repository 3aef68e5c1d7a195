/**
 * The `key=value` tokens of a cell's first line: read with their places, and printed again.
 *
 * Owns: quoting. In quotes, `\"` is a quote and `\\` a backslash; any other backslash stands for itself.
 */
import { isBlank } from './fence.ts';

export interface CellToken {
  key: string;
  /** Without quotes and escapes. */
  value: string;
  /** As written, including `key=`. */
  raw: string;
  /** Offsets in the line of the token and of its value. */
  start: number;
  valueStart: number;
  end: number;
  fault?: 'no-equals' | 'unclosed-quote' | 'text-after-quote' | 'bad-key';
}

const KEY = /^[A-Za-z0-9_-]+$/;
const BARE = /^[A-Za-z0-9_.,-]*$/;

export function readTokens(line: string, from: number): CellToken[] {
  const tokens: CellToken[] = [];
  for (let at = skipBlanks(line, from); at < line.length; ) {
    const token = readToken(line, at);
    tokens.push(token);
    at = skipBlanks(line, token.end);
  }
  return tokens;
}

function readToken(line: string, start: number): CellToken {
  let at = start;
  while (at < line.length && line[at] !== '=' && !isBreak(line, at)) at++;
  const key = line.slice(start, at);
  if (line[at] !== '=')
    return { key, value: '', raw: key, start, valueStart: at, end: at, fault: 'no-equals' };
  const { value, end, fault } = readValue(line, at + 1);
  const wrong = fault ?? (KEY.test(key) ? undefined : 'bad-key');
  return {
    key,
    value,
    raw: line.slice(start, end),
    start,
    valueStart: at + 1,
    end,
    ...(wrong === undefined ? {} : { fault: wrong }),
  };
}

function readValue(line: string, start: number): Pick<CellToken, 'value' | 'end' | 'fault'> {
  if (line[start] !== '"') {
    const end = endOfWord(line, start);
    return { value: line.slice(start, end), end };
  }
  let at = start + 1;
  while (at < line.length && line[at] !== '"' && line[at] !== '\n') at += line[at] === '\\' ? 2 : 1;
  if (line[at] !== '"') {
    const end = endOfText(line);
    return { value: withoutEscapes(line.slice(start + 1, end)), end, fault: 'unclosed-quote' };
  }
  const value = withoutEscapes(line.slice(start + 1, at));
  const end = endOfWord(line, at + 1);
  return end === at + 1 ? { value, end } : { value, end, fault: 'text-after-quote' };
}

function withoutEscapes(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\(["\\])/g, '$1') : text;
}

function endOfWord(line: string, from: number): number {
  let at = from;
  while (at < line.length && !isBreak(line, at)) at++;
  return at;
}

function endOfText(line: string): number {
  let at = line.length;
  while (at > 0 && isBreak(line, at - 1)) at--;
  return at;
}

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && isBreak(line, at)) at++;
  return at;
}

function isBreak(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return isBlank(code) || code === 0x0a;
}

/** `undefined` if no token can hold the value: it contains a line break, or the key is invalid. */
export function printToken(key: string, value: string): string | undefined {
  if (!KEY.test(key) || /[\n\r]/.test(value)) return undefined;
  return BARE.test(value) ? `${key}=${value}` : `${key}="${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
