/**
 * Text to notebook. Any text is one: what is wrong with it is a diagnostic, and `printNotebook` returns its exact
 * bytes.
 *
 * The format's rules:
 * 1. The first line is the magic line, `%WOOFNB <major>.<minor>`; only a byte order mark may precede it. Blanks and
 *    blank lines before it are an error that `fmt` corrects.
 * 2. The header is the YAML from there to the first cell, or to an unindented line that contains only a fence, which no
 *    YAML can contain. Blank lines at its end do not count.
 * 3. A cell opens with a line of any indent: three or more backticks, directly followed by `cell`, then tokens.
 * 4. It closes with the next line that, apart from blanks, contains exactly as many backticks and nothing else. So a
 *    longer fence may contain shorter and longer ones. A cell that is never closed extends to the end of the text.
 * 5. Tokens are `key=value`, separated by blanks. A value is bare or in double quotes, where `\"` is a quote and `\\` a
 *    backslash. A value may be empty: the next token is not part of it.
 * 6. The body is the lines in between without their last line break, so a body that ends in a line break is followed by
 *    an empty line.
 * 7. Text outside cells is kept. If it is no more than one bare fence, it is a stray fence that `fmt` removes.
 * 8. Lines end with LF or CR LF.
 */
import type { Diagnostic } from '@woof/net';
import { Cell } from './cell.ts';
import { endOfLine, type FenceLine, findBareFence, findCloser, findOpener, isSpace } from './fence.ts';
import { lintStructure } from './lint-structure.ts';
import { type Magic, Notebook } from './notebook.ts';

const MAGIC = '%WOOFNB';
const BOM = 0xfeff;

export interface ParsedNotebook {
  notebook: Notebook;
  /** Of the structure only; `lintNotebook` reports these and everything else. */
  diagnostics: Diagnostic[];
}

export function parseNotebook(text: string): ParsedNotebook {
  const magic = findMagic(text);
  const headerStart = magic ? endOfLine(text, magic.start) : isBom(text) ? 1 : 0;
  const firstOpener = findOpener(text, headerStart);
  const headerEnd = findHeaderEnd(text, headerStart, firstOpener?.start ?? text.length);
  const { cells, end } = cutCells(text, headerEnd, firstOpener);
  const notebook = new Notebook(
    {
      preamble: text.slice(0, headerStart),
      headerText: text.slice(headerStart, headerEnd),
      cells,
      tail: text.slice(end),
    },
    magic,
  );
  return { notebook, diagnostics: lintStructure(notebook) };
}

/** Whether the first line that is not blank says that this is a notebook. */
export function isNotebookText(text: string): boolean {
  return findMagic(text) !== undefined;
}

export function isNotebookFile(file: string): boolean {
  return /\.(woofnb|wnb)$/i.test(file);
}

const isBom = (text: string) => text.charCodeAt(0) === BOM;

function findMagic(text: string): Magic | undefined {
  let start = isBom(text) ? 1 : 0;
  while (isSpace(text.charCodeAt(start))) start++;
  if (!text.startsWith(MAGIC, start)) return undefined;
  const line = text.slice(start, endOfLine(text, start)).trimEnd();
  const version = /^%WOOFNB[ \t]+(\d{1,6})\.(\d{1,6})$/.exec(line);
  const end = start + line.length;
  if (!version) return { start, end };
  return { start, end, version: { major: Number(version[1]), minor: Number(version[2]) } };
}

function findHeaderEnd(text: string, start: number, limit: number): number {
  for (let line = findBareFence(text, start); line && line.start < limit; ) {
    if (line.start === line.fenceStart) return line.start;
    line = findBareFence(text, line.end);
  }
  return limit;
}

function cutCells(text: string, from: number, first: FenceLine | undefined): { cells: Cell[]; end: number } {
  const cells: Cell[] = [];
  let end = from;
  for (let opener = first; opener; opener = findOpener(text, end)) {
    const cell = cutCell(text, end, opener);
    cells.push(cell);
    end = cell.end;
  }
  return { cells, end };
}

function cutCell(text: string, from: number, opener: FenceLine): Cell {
  const { start, end, fenceStart, fenceEnd } = opener;
  const length = fenceEnd - fenceStart;
  const closer = findCloser(text, end, length);
  const bodyEnd = closer?.start ?? text.length;
  const pieces = {
    before: text.slice(from, start),
    opener: text.slice(start, end),
    bodyText: text.slice(end, bodyEnd),
    closer: closer ? text.slice(closer.start, closer.end) : '',
  };
  return new Cell(pieces, start, fenceStart - start, length);
}
