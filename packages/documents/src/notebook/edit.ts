/**
 * Edits the cells of a notebook. Each edit returns a new notebook in which only the edited bytes differ, or undefined
 * if the edit is impossible: there is no such cell, or no token can hold the value.
 */
import { bodyLines, type Cell } from './cell.ts';
import { printToken } from './cell-tokens.ts';
import { fenceFor } from './fence-for.ts';
import { type Notebook, printNotebook } from './notebook.ts';
import { parseNotebook } from './parse.ts';

type Edited = Notebook | undefined;

export interface NewCell {
  /** In the order in which they are printed. */
  tokens: Readonly<Record<string, string>>;
  body: string;
}

export function setCellBody(notebook: Notebook, id: string, body: string): Edited {
  const cell = notebook.cell(id);
  if (!cell) return undefined;
  const lineEnd = lineEndOf(cell.opener);
  const lines = bodyLines(body, lineEnd);
  const isFree = !closes(lines, cell.fenceLength);
  const fence = isFree ? '`'.repeat(cell.fenceLength) : fenceFor(lines, 0);
  const opener =
    cell.opener.slice(0, cell.fenceAt) + fence + cell.opener.slice(cell.fenceAt + cell.fenceLength);
  const closer = isFree && cell.isClosed ? cell.closer : fence + (lineEndIn(cell.closer) ?? lineEnd);
  const broken = lineEndIn(opener) === undefined ? lineEnd : '';
  return splice(notebook, cell.start, cell.end, opener + broken + lines + closer);
}

/** The value `undefined` removes the token. */
export function setCellToken(notebook: Notebook, id: string, key: string, value: string | undefined): Edited {
  const cell = notebook.cell(id);
  if (!cell) return undefined;
  const token = cell.token(key);
  if (value === undefined) return token ? removeToken(notebook, cell, token) : notebook;
  const printed = printToken(key, value);
  if (printed === undefined) return undefined;
  if (token) return splice(notebook, cell.start + token.start, cell.start + token.end, printed);
  const end = cell.start + cell.opener.trimEnd().length;
  return splice(notebook, end, end, ` ${printed}`);
}

function removeToken(notebook: Notebook, cell: Cell, token: { start: number; end: number }): Notebook {
  const before = cell.opener.slice(0, token.start);
  return splice(notebook, cell.start + before.trimEnd().length, cell.start + token.end, '');
}

/** The text before the cell stays: it may be more than blank lines. */
export function removeCell(notebook: Notebook, id: string): Edited {
  const cell = notebook.cell(id);
  if (!cell) return undefined;
  const start = cell.before.trim() === '' ? cell.start - cell.before.length : cell.start;
  return splice(notebook, start, cell.end, '');
}

/** Before the cell at this index, or after the last one. */
export function insertCell(notebook: Notebook, index: number, added: NewCell): Edited {
  const words = Object.entries(added.tokens).map(([key, value]) => printToken(key, value));
  if (words.includes(undefined)) return undefined;
  const last = notebook.cells.at(-1);
  if (last && !last.isClosed) return undefined;
  const lineEnd = lineEndOf(notebook.preamble);
  const lines = bodyLines(added.body, lineEnd);
  const fence = fenceFor(lines, Number.POSITIVE_INFINITY);
  const text = `${fence}cell${words.map((word) => ` ${word}`).join('')}${lineEnd}${lines}${fence}${lineEnd}`;
  const next = notebook.cells[index];
  if (next) return splice(notebook, next.start, next.start, text + lineEnd);
  const end = last ? last.end : notebook.preamble.length + notebook.headerText.length;
  const all = printNotebook(notebook);
  const isBroken = end > 0 && all[end - 1] !== '\n';
  return splice(notebook, end, end, (isBroken ? lineEnd : '') + lineEnd + text);
}

export function splice(notebook: Notebook, start: number, end: number, text: string): Notebook {
  const all = printNotebook(notebook);
  return parseNotebook(all.slice(0, start) + text + all.slice(end)).notebook;
}

function closes(lines: string, fenceLength: number): boolean {
  return fenceFor(lines, 0).length > fenceLength;
}

function lineEndIn(line: string): string | undefined {
  if (!line.endsWith('\n')) return undefined;
  return line.endsWith('\r\n') ? '\r\n' : '\n';
}

function lineEndOf(line: string): string {
  return lineEndIn(line) ?? '\n';
}
