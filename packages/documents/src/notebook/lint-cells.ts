/** What is wrong with the tokens of each cell, and with duplicate ids. */

import { CELL_TYPES, type Diagnostic, isCellType } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import type { Cell } from './cell.ts';
import type { CellToken } from './cell-tokens.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { tokenHint } from './meant-words.ts';
import type { Notebook } from './notebook.ts';
import { ID, RESERVED_KEYS, TOKEN_KEYS } from './vocabulary.ts';

const WHOLE = /^-?\d{1,15}$/;

interface Rule {
  expected: string;
  accepts: (value: string) => boolean;
}

const atLeast = (least: number) => (value: string) => WHOLE.test(value) && Number(value) >= least;
const isList = (value: string) => value.trim() === '' || value.split(',').every((word) => word.trim() !== '');

/** The rules of tokens that can be checked by their value alone; ids, types, deps and effects have more rules. */
export const TOKEN_RULES: Readonly<Record<string, Rule>> = {
  timeout: { expected: 'a whole number of seconds above 0', accepts: atLeast(1) },
  memory_mb: { expected: 'a whole number of megabytes above 0', accepts: atLeast(1) },
  retries: { expected: 'a whole number, 0 or more', accepts: atLeast(0) },
  priority: { expected: 'a whole number', accepts: (value) => WHOLE.test(value) },
  disabled: { expected: 'true or false', accepts: (value) => value === 'true' || value === 'false' },
  lang: { expected: 'the name of a language', accepts: (value) => value.trim() !== '' },
  kernel: { expected: 'the name of a kernel', accepts: (value) => value.trim() !== '' },
  deps: { expected: 'ids separated by commas', accepts: isList },
  tags: { expected: 'words separated by commas', accepts: isList },
};

export function lintCells(notebook: Notebook): Diagnostic[] {
  return [...notebook.cells.flatMap((cell) => lintTokens(notebook, cell)), ...lintIds(notebook)];
}

export function tokenSpan(notebook: Notebook, cell: Cell, token: CellToken): Span {
  return notebook.source.span(cell.start + token.start, cell.start + token.end);
}

/** The value of a token, or the whole token if the value is empty. */
export function valueSpan(notebook: Notebook, cell: Cell, token: CellToken): Span {
  const start = token.valueStart < token.end ? token.valueStart : token.start;
  return notebook.source.span(cell.start + start, cell.start + token.end);
}

/** Where to point if a cell lacks something: its fence. */
export function fenceSpan(notebook: Notebook, cell: Cell): Span {
  const start = cell.start + cell.fenceAt;
  return notebook.source.span(start, start + cell.fenceLength + 'cell'.length);
}

function lintTokens(notebook: Notebook, cell: Cell): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const tokens = [...cell.tokens];
  for (let token = tokens.shift(); token; token = tokens.shift()) {
    const spaced = spacedToken(token, tokens);
    if (spaced) {
      const at = notebook.source.span(cell.start + token.start, cell.start + spaced.end);
      found.push(problems.spacedToken(at, spaced.text));
      tokens.splice(0, spaced.length);
      seen.add(token.key);
      continue;
    }
    const at = tokenSpan(notebook, cell, token);
    const problem = token.fault ? faultOf(token, at) : lintKey(token, at, seen);
    if (problem) found.push(problem);
    if (token.fault === 'no-equals') continue;
    seen.add(token.key);
    const rule = Object.hasOwn(TOKEN_RULES, token.key) ? TOKEN_RULES[token.key] : undefined;
    if (rule && !rule.accepts(token.value)) {
      const where = valueSpan(notebook, cell, token);
      found.push(problems.badValue(where, token.key, rule.expected, token.value));
    }
  }
  for (const key of ['id', 'type']) {
    if (!seen.has(key)) found.push(problems.missingToken(fenceSpan(notebook, cell), cell.id, key));
  }
  return [...found, ...lintType(notebook, cell)];
}

interface Spaced {
  /** How to write it. */
  text: string;
  end: number;
  /** How many of the words that follow belong to it. */
  length: number;
}

/** A token in several words, because of blanks around `=` or after a comma. */
function spacedToken(token: CellToken, following: readonly CellToken[]): Spaced | undefined {
  const [next, last] = following;
  if (token.fault === 'no-equals' && next?.raw.startsWith('=')) {
    if (next.raw !== '=') return { text: token.key + next.raw, end: next.end, length: 1 };
    const isValue = last?.fault === 'no-equals';
    return isValue ? { text: `${token.key}=${last.raw}`, end: last.end, length: 2 } : undefined;
  }
  return token.fault === undefined && LISTS.has(token.key) ? spacedList(token, following) : undefined;
}

const LISTS = new Set(['deps', 'tags', 'sidefx']);

function spacedList({ raw, end }: CellToken, following: readonly CellToken[]): Spaced | undefined {
  const found = { text: raw, end, length: 0 };
  for (const next of following) {
    const isRest = found.text.endsWith(',') || next.raw.startsWith(',');
    if (!isRest || next.fault !== 'no-equals') break;
    found.text += next.raw;
    found.end = next.end;
    found.length++;
  }
  return found.length > 0 ? found : undefined;
}

function faultOf(token: CellToken, at: Span): Diagnostic {
  if (token.fault === 'unclosed-quote') return problems.unclosedQuote(at, token.key);
  if (token.fault === 'text-after-quote') {
    return problems.badToken(at, token.raw, 'add a space after the closing quote');
  }
  return problems.badToken(
    at,
    token.raw,
    token.fault === 'bad-key'
      ? 'use letters, digits, `_` and `-` in a key'
      : 'put a value that has spaces in double quotes',
  );
}

function lintKey({ key }: CellToken, at: Span, seen: ReadonlySet<string>): Diagnostic | undefined {
  if (seen.has(key)) return problems.duplicateToken(at, key);
  if (TOKEN_KEYS.some((known) => known === key) || key.startsWith('x-')) return undefined;
  if (RESERVED_KEYS.includes(key)) return problems.reservedToken(at, key);
  return problems.unknownToken(at, key, tokenHint(key, TOKEN_KEYS));
}

function lintType(notebook: Notebook, cell: Cell): Diagnostic[] {
  const token = cell.token('type');
  if (!token || isCellType(token.value)) return [];
  return [problems.unknownType(valueSpan(notebook, cell, token), token.value, CELL_TYPES)];
}

function lintIds(notebook: Notebook): Diagnostic[] {
  const found: Diagnostic[] = [];
  const lines = new Map<string, Cell>();
  for (const cell of notebook.cells) {
    const token = cell.token('id');
    if (!token) continue;
    const at = valueSpan(notebook, cell, token);
    const first = lines.get(token.value);
    if (!ID.test(token.value)) found.push(problems.badId(at, token.value));
    else if (first) found.push(problems.duplicateId(at, cell.id, notebook.source.position(first.start)[0]));
    else lines.set(token.value, cell);
  }
  return found;
}
