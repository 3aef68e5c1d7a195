/**
 * A notebook as a script in the percent format that editors and jupytext know.
 *
 * Cells stand in an order in which they can run. What the script's language cannot run is a comment.
 */

import { canonicalLanguage, decodeFinite, encodeJson } from '@woof/net';
import type { Cell } from './cell.ts';
import { CELL_TOKEN } from './ipynb/ipynb-metadata.ts';
import type { Notebook } from './notebook.ts';
import { splitFutureImports } from './python/future-imports.ts';
import { runnableOrder } from './runnable-order.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LABELS: Readonly<Record<string, string>> = {
  md: '[markdown] ',
  raw: '[raw] ',
  viz: '[raw] ',
  bash: '[bash] ',
};

export function toPercentScript(notebook: Notebook): string {
  const cells = runnableOrder(notebook);
  const language = canonicalLanguage(notebook.header.language ?? 'python');
  const futures = language === 'python' ? futureImports(cells, language) : [];
  const header = notebook.headerText.trimEnd();
  const bound = language === 'python' ? boundParameters(notebook) : [];
  const parts = [
    ['# ---', ...(header === '' ? [] : [comment(header)]), '# ---'].join('\n'),
    ...(futures.length > 0 ? [`# %%\n${futures.join('\n')}`] : []),
    ...(cells.some((cell) => isBoundData(cell)) || bound.length > 0 ? ['# %%\nimport json'] : []),
    ...bound,
    ...cells.map((cell) => cellText(cell, language)),
  ];
  return `${parts.join('\n\n').replaceAll('\r\n', '\n')}\n`;
}

/** As the kernel binds them. */
function boundParameters({ header: { parameters } }: Notebook): string[] {
  if (Object.keys(parameters).length === 0) return [];
  return [`# %%\nparameters = json.loads(${encodeJson(encodeJson(parameters))})`];
}

function cellText(cell: Cell, language: string): string {
  const label = Object.hasOwn(LABELS, cell.type) ? LABELS[cell.type]! : '';
  const tokens = cell.tokens.flatMap(({ key, raw }) => (key === CELL_TOKEN ? [] : [raw]));
  const head = `# %% ${label}${tokens.join(' ')}`.trimEnd();
  const body = scriptBody(cell, language);
  return body === '' ? head : `${head}\n${body}`;
}

function scriptBody(cell: Cell, language: string): string {
  if (isBoundData(cell)) return `${cell.id} = json.loads(${encodeJson(cell.body)})`;
  if (!isScript(cell, language)) return comment(cell.body);
  const { body } = language === 'python' ? splitFutureImports(cell.body) : cell;
  return body.replaceAll(/^([%!])/gm, '# $1');
}

/** Whether the script runs the cell's body. */
function isScript(cell: Cell, language: string): boolean {
  const isForeign = canonicalLanguage(cell.get('lang') ?? language) !== language;
  const isCode = cell.type === 'code' || cell.type === 'test';
  return isCode && !isForeign && cell.get('disabled') !== 'true' && !cell.body.startsWith('%%');
}

function futureImports(cells: readonly Cell[], language: string): string[] {
  const runs = cells.filter((cell) => isScript(cell, language));
  return [...new Set(runs.flatMap((cell) => splitFutureImports(cell.body).statements))];
}

/** A data cell that a script can bind to a name. */
function isBoundData(cell: Cell): boolean {
  if (cell.type !== 'data' || !IDENTIFIER.test(cell.id)) return false;
  try {
    decodeFinite(cell.body);
    return true;
  } catch {
    return false;
  }
}

function comment(text: string): string {
  if (text === '') return '';
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? '#' : `# ${line}`))
    .join('\n');
}
