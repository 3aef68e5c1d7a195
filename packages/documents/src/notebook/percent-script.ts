/**
 * A notebook as a script in the percent format that editors and jupytext know.
 *
 * Cells stand in an order in which they can run: that of the file where it fits, else that of the graph, with each
 * text before the cell that it introduces. What the script's language cannot run is a comment.
 */

import type { Cell } from './cell.ts';
import { graphOfNotebook } from './graph.ts';
import { CELL_TOKEN } from './ipynb/ipynb-metadata.ts';
import type { Notebook } from './notebook.ts';
import { isIdleType } from './vocabulary.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LABELS: Readonly<Record<string, string>> = {
  md: '[markdown] ',
  raw: '[raw] ',
  viz: '[raw] ',
  bash: '[bash] ',
};

export function toPercentScript(notebook: Notebook): string {
  const cells = runnableOrder(notebook);
  const header = notebook.headerText.trimEnd();
  const parts = [
    ['# ---', ...(header === '' ? [] : [comment(header)]), '# ---'].join('\n'),
    ...(cells.some((cell) => isBoundData(cell)) ? ['# %%\nimport json'] : []),
    ...cells.map((cell) => cellText(cell, notebook.header.language ?? 'python')),
  ];
  return `${parts.join('\n\n').replaceAll('\r\n', '\n')}\n`;
}

function runnableOrder(notebook: Notebook): Cell[] {
  const { cells } = notebook;
  const { edges, order } = graphOfNotebook(notebook);
  const place = new Map(cells.map(({ id }, i) => [id, i]));
  if (edges.every(({ from, to }) => place.get(from)! < place.get(to)!)) return [...cells];
  const groups = new Map<string, Cell[]>();
  let group: Cell[] = [];
  for (const cell of cells) {
    group.push(cell);
    if (isIdleType(cell.type) || groups.has(cell.id)) continue;
    groups.set(cell.id, group);
    group = [];
  }
  return [...order.flatMap((id) => groups.get(id) ?? []), ...group];
}

function cellText(cell: Cell, language: string): string {
  const label = Object.hasOwn(LABELS, cell.type) ? LABELS[cell.type]! : '';
  const tokens = cell.tokens.flatMap(({ key, raw }) => (key === CELL_TOKEN ? [] : [raw]));
  const head = `# %% ${label}${tokens.join(' ')}`.trimEnd();
  const body = scriptBody(cell, language);
  return body === '' ? head : `${head}\n${body}`;
}

function scriptBody(cell: Cell, language: string): string {
  if (isBoundData(cell)) return `${cell.id} = json.loads(${JSON.stringify(cell.body)})`;
  const isForeign = (cell.get('lang') ?? language) !== language;
  const isCode = cell.type === 'code' || cell.type === 'test';
  if (!isCode || isForeign || cell.get('disabled') === 'true') return comment(cell.body);
  if (cell.body.startsWith('%%')) return comment(cell.body);
  return cell.body.replaceAll(/^([%!])/gm, '# $1');
}

/** A data cell that a script can bind to a name. */
function isBoundData(cell: Cell): boolean {
  if (cell.type !== 'data' || !IDENTIFIER.test(cell.id)) return false;
  try {
    JSON.parse(cell.body);
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
