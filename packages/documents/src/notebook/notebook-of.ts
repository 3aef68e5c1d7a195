/** A notebook from its parts, in canonical form where the parts leave a choice. */
import type { JsonObject } from '@woof/net';
import { bodyLines } from './cell.ts';
import { printToken } from './cell-tokens.ts';
import { fenceFor } from './fence-for.ts';
import { headerText } from './header-text.ts';
import type { Notebook } from './notebook.ts';
import { parseNotebook } from './parse.ts';

export interface CellParts {
  id: string;
  type: string;
  /** Beside id and type, in the order in which they are to stand. */
  tokens: readonly (readonly [key: string, value: string])[];
  body: string;
}

export function notebookOf(
  header: JsonObject | string,
  cells: readonly CellParts[],
  version = '1.0',
): Notebook {
  const yaml = typeof header === 'string' ? header.trimEnd() : (headerText(header) ?? '');
  const parts = [`%WOOFNB ${version}${yaml === '' ? '' : `\n${yaml}`}`, ...cells.map(cellText)];
  return parseNotebook(`${parts.join('\n\n')}\n`).notebook;
}

function cellText({ id, type, tokens, body }: CellParts): string {
  const all = [['id', id], ['type', type], ...tokens] as const;
  const words = all.flatMap(([key, value]) => printToken(key, value) ?? []);
  const lines = bodyLines(body, '\n');
  const fence = fenceFor(lines, Number.POSITIVE_INFINITY);
  return `${fence}cell ${words.join(' ')}\n${lines}${fence}`;
}
