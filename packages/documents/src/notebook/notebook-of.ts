/** A notebook from its parts, in canonical form if the parts leave a choice. */
import type { JsonObject } from '@woof/net';
import { bodyLines } from './cell.ts';
import { printToken } from './cell-tokens.ts';
import { fenceFor } from './fence-for.ts';
import { headerText } from './header-text.ts';
import type { Notebook } from './notebook.ts';
import { parseNotebook } from './parse.ts';

export interface CellParts {
  /** Including id and type, in the order in which they are printed. */
  tokens: readonly (readonly [key: string, value: string])[];
  body: string;
}

export interface NotebookParts {
  version?: string;
  /** Values, or their YAML. */
  header: JsonObject | string;
  cells: readonly CellParts[];
  /** Texts outside cells, by the index of the cell after them. */
  outside?: ReadonlyMap<number, string>;
}

/** `undefined` if no YAML can hold the values of the header. */
export function notebookOf({ version = '1.0', header, cells, outside }: NotebookParts): Notebook | undefined {
  const yaml = typeof header === 'string' ? header.trimEnd() : headerText(header);
  if (yaml === undefined) return undefined;
  const textAt = (index: number) => (outside?.has(index) ? [outside.get(index)!] : []);
  const parts = [
    `%WOOFNB ${version}${yaml === '' ? '' : `\n${yaml}`}`,
    ...cells.flatMap((cell, index) => [...textAt(index), cellText(cell)]),
    ...textAt(cells.length),
  ];
  return parseNotebook(`${parts.join('\n\n')}\n`).notebook;
}

function cellText({ tokens, body }: CellParts): string {
  const words = tokens.flatMap(([key, value]) => printToken(key, value) ?? []);
  const lines = bodyLines(body, '\n');
  const fence = fenceFor(lines, Number.POSITIVE_INFINITY);
  return `${fence}cell ${words.join(' ')}\n${lines}${fence}`;
}
