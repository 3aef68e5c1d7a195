/** What is wrong with a notebook's outline: its magic line, fences and the text outside cells. */
import type { Diagnostic } from '@woof/net';
import type { Cell } from './cell.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { findBareFence, findOpener } from './fence.ts';
import type { Notebook } from './notebook.ts';

/** The version of the format that this program knows. */
export const FORMAT = { major: 1, minor: 0 };

export function lintStructure(notebook: Notebook): Diagnostic[] {
  return [...lintMagic(notebook), ...lintFences(notebook), ...lintTexts(notebook)];
}

function lintMagic(notebook: Notebook): Diagnostic[] {
  const { magic } = notebook;
  if (!magic) return [problems.noMagic(notebook.source.span(0, 1))];
  const at = () => notebook.source.span(magic.start, magic.end);
  if (!magic.version) return [problems.badMagic(at())];
  if (magic.start > (notebook.source.text.startsWith('\ufeff') ? 1 : 0))
    return [problems.lateMagic(at(), notebook.source.position(magic.start)[0])];
  const { major, minor } = magic.version;
  if (major !== FORMAT.major) return [problems.unsupportedVersion(at(), `${major}.${minor}`)];
  return minor > FORMAT.minor ? [problems.newerVersion(at(), `${major}.${minor}`)] : [];
}

function lintFences(notebook: Notebook): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const cell of notebook.cells) {
    const inside = findOpener(cell.bodyText, 0);
    if (inside && inside.fenceEnd - inside.fenceStart === cell.fenceLength) {
      const at = notebook.source.span(cell.bodyStart + inside.start, cell.bodyStart + inside.end);
      found.push(problems.cellInCell(at, cell.id));
    }
    if (!cell.isClosed) found.push(problems.unclosedCell(openerSpan(notebook, cell), cell.id));
  }
  if (notebook.cells.length === 0) {
    const end = notebook.source.text.trimEnd().length;
    found.push(problems.noCells(notebook.source.span(Math.max(0, end - 1), end)));
  }
  return found;
}

function openerSpan(notebook: Notebook, cell: Cell) {
  return notebook.source.span(cell.start + cell.fenceAt, cell.start + cell.opener.trimEnd().length);
}

function lintTexts(notebook: Notebook): Diagnostic[] {
  const found: Diagnostic[] = [];
  const look = (text: string, start: number) => {
    const first = text.search(/\S/);
    if (first === -1) return;
    const at = notebook.source.span(start + first, start + text.trimEnd().length);
    found.push(isStrayFence(text) ? problems.strayFence(at) : problems.textOutside(at));
  };
  for (const cell of notebook.cells) look(cell.before, cell.start - cell.before.length);
  const end = notebook.cells.at(-1)?.end ?? notebook.preamble.length + notebook.headerText.length;
  look(notebook.tail, end);
  return found;
}

/** Whether the text outside cells is nothing but one bare fence. */
export function isStrayFence(text: string): boolean {
  const fence = findBareFence(text, 0);
  if (!fence) return false;
  return text.slice(0, fence.start).trim() === '' && text.slice(fence.end).trim() === '';
}
