/**
 * A notebook as a script in the percent format that editors and jupytext know.
 *
 * Cells are in an order in which they can run. Cells that the script's language cannot run become comments.
 */

import { canonicalLanguage, encodeJson, traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import { formOf } from './cell-forms.ts';
import { notebookLanguage } from './cell-language.ts';
import { CELL_TOKEN } from './ipynb/ipynb-metadata.ts';
import { syntaxOf } from './languages.ts';
import type { Notebook } from './notebook.ts';
import { runnableOrder } from './runnable-order.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function toPercentScript(notebook: Notebook): string {
  const cells = runnableOrder(notebook);
  const language = notebookLanguage(notebook);
  const first = firstStatements(cells, language);
  const header = notebook.headerText.trimEnd();
  const bound = boundParameters(notebook, language);
  const parts = [
    ['# ---', ...(header === '' ? [] : [comment(header)]), '# ---'].join('\n'),
    ...(first.length > 0 ? [`# %%\n${first.join('\n')}`] : []),
    ...(cells.some((cell) => isBoundData(cell)) || bound.length > 0 ? ['# %%\nimport json'] : []),
    ...bound,
    ...cells.map((cell) => cellText(cell, language)),
  ];
  return `${parts.join('\n\n').replaceAll('\r\n', '\n')}\n`;
}

/** As the kernel binds them. */
function boundParameters({ header: { parameters } }: Notebook, language: string): string[] {
  const { script } = syntaxOf(language);
  if (script === undefined || Object.keys(parameters).length === 0) return [];
  return [`# %%\n${script.bindParameters(parameters)}`];
}

function cellText(cell: Cell, language: string): string {
  const { label = '' } = formOf(cell);
  const tokens = cell.tokens.flatMap(({ key, raw }) => (key === CELL_TOKEN ? [] : [raw]));
  const head = `# %% ${label}${tokens.join(' ')}`.trimEnd();
  const body = scriptBody(cell, language);
  return body === '' ? head : `${head}\n${body}`;
}

function scriptBody(cell: Cell, language: string): string {
  if (isBoundData(cell)) return `${cell.id} = json.loads(${encodeJson(cell.body)})`;
  if (!isScript(cell, language)) return comment(cell.body);
  const { body } = syntaxOf(language).script?.split(cell.body) ?? cell;
  return body.replaceAll(/^([%!])/gm, '# $1');
}

/** Whether the script runs the cell's body. */
function isScript(cell: Cell, language: string): boolean {
  const isForeign = canonicalLanguage(cell.get('lang') ?? language) !== language;
  return (
    traitsOf(cell).choosesLanguage &&
    !isForeign &&
    cell.get('disabled') !== 'true' &&
    !cell.body.startsWith('%%')
  );
}

/** What must come before everything else in the script. */
function firstStatements(cells: readonly Cell[], language: string): string[] {
  const { script } = syntaxOf(language);
  const runs = script === undefined ? [] : cells.filter((cell) => isScript(cell, language));
  return [...new Set(runs.flatMap((cell) => script!.split(cell.body).statements))];
}

/** A value that a script can bind to a name. */
function isBoundData(cell: Cell): boolean {
  return IDENTIFIER.test(cell.id) && formOf(cell).isJson?.(cell.body) === true;
}

function comment(text: string): string {
  if (text === '') return '';
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? '#' : `# ${line}`))
    .join('\n');
}
