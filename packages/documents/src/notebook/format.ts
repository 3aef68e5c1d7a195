/**
 * A notebook in canonical form: header keys and tokens in order, quotes only if needed, the shortest fence that fits,
 * one blank line before each cell, LF line ends, one final newline.
 *
 * Invariants: bodies change only in their line ends; formatting is idempotent; what cannot be read is refused.
 */
import type { Diagnostic } from '@woof/net';
import { documentProblems } from '../diagnostics.ts';
import type { Cell } from './cell.ts';
import { printToken } from './cell-tokens.ts';
import { fenceFor } from './fence-for.ts';
import { formatHeader } from './format-header.ts';
import { lintNotebook } from './lint.ts';
import { isStrayFence } from './lint-structure.ts';
import type { Notebook } from './notebook.ts';
import { parseNotebook } from './parse.ts';
import { sameJson } from './same-json.ts';
import { canonicalOrder, TOKEN_KEYS } from './vocabulary.ts';

/** Problems that leave the reading of the text in doubt; with any other, the text is formatted as it is. */
const REFUSED = new Set([
  ...['missing-magic', 'bad-magic', 'unsupported-version', 'unclosed-cell', 'unclosed-quote'],
  ...['unquoted-braces', 'header-not-a-map', 'other-fence', 'duplicate-id'],
]);

export interface FormattedNotebook {
  text?: string;
  diagnostics: Diagnostic[];
}

/** Why a notebook can be neither formatted nor converted without losing something. */
export function unreadableParts(notebook: Notebook, options: { fix?: boolean } = {}): Diagnostic[] {
  return lintNotebook(notebook).filter((each) => isRefused(each, options.fix ?? false));
}

export function formatNotebook(notebook: Notebook, options: { fix?: boolean } = {}): FormattedNotebook {
  const refused = unreadableParts(notebook, options);
  if (refused.length > 0) return { diagnostics: refused };
  const ids = options.fix ? renamedIds(notebook.cells) : new Map<Cell, string>();
  const { major, minor } = notebook.magic!.version!;
  const header = formatHeader(unixText(notebook.headerText).trimEnd());
  const parts = [
    `%WOOFNB ${major}.${minor}${header === '' ? '' : `\n${header}`}`,
    ...notebook.cells.flatMap((cell) => [...textPart(cell.before), cellPart(cell, ids.get(cell))]),
    ...textPart(notebook.tail),
  ];
  const text = `${parts.join('\n\n')}\n`;
  if (saysTheSame(parseNotebook(text).notebook, notebook)) return { text, diagnostics: [] };
  const { start, end } = notebook.magic!;
  return { diagnostics: [documentProblems.cannotFormat(notebook.source.span(start, end))] };
}

/** The final check of the invariant: unusual carriage returns, for example, can be part of a header's values. */
function saysTheSame(made: Notebook, notebook: Notebook): boolean {
  return made.cells.length === notebook.cells.length && sameJson(made.header.data, notebook.header.data);
}

function isRefused({ code, severity }: Diagnostic, fix: boolean): boolean {
  if (severity !== 'error') return false;
  const [area, problem] = code.split('/') as [string, string];
  return area === 'yaml' || (REFUSED.has(problem) && !(fix && problem === 'duplicate-id'));
}

/** Several carriage returns count as one, or the next formatting would find another CR LF. */
function unixText(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r+\n/g, '\n') : text;
}

function textPart(text: string): string[] {
  const kept = unixText(text)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
  return kept.trim() === '' || isStrayFence(kept) ? [] : [kept];
}

function cellPart(cell: Cell, id: string | undefined): string {
  const body = unixText(cell.bodyText);
  const fence = fenceFor(body, cell.fenceLength);
  return `${fence}cell${formatTokens(cell, id)}\n${body}${fence}`;
}

function formatTokens(cell: Cell, id: string | undefined): string {
  const tokens = canonicalOrder(cell.tokens, TOKEN_KEYS, ({ key }) => key);
  const words = tokens.map(({ key, value, raw, fault }) => {
    const text = key === 'id' && id !== undefined ? id : value;
    return fault ? raw : (printToken(key, text) ?? raw);
  });
  return words.map((word) => ` ${word}`).join('');
}

/** Later cells with the same id get the next free number. */
function renamedIds(cells: readonly Cell[]): Map<Cell, string> {
  const taken = new Set(cells.map((cell) => cell.id));
  const seen = new Set<string>();
  const renamed = new Map<Cell, string>();
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const { id } = cell;
    if (id === '' || !seen.has(id)) {
      seen.add(id);
      continue;
    }
    let number = counts.get(id) ?? 2;
    while (taken.has(`${id}-${number}`)) number++;
    counts.set(id, number + 1);
    taken.add(`${id}-${number}`);
    renamed.set(cell, `${id}-${number}`);
  }
  return renamed;
}
