/**
 * Names that no cell of the language defines: those of cells in another language, which are reached through the id of
 * their cell, and ids of data that cannot be names. Reported only if there is no doubt.
 */
import { type Diagnostic, isBindableName, nameFor, traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import { isOwnCode, languageOf } from './cell-language.ts';
import type { CellNames } from './cell-names.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { syntaxOf } from './languages.ts';
import type { Notebook } from './notebook.ts';

const MAX_CHARACTERS = 8_000_000;

interface Read {
  cell: Cell;
  language: string;
  /** Undefined if the body could not be read. */
  names: CellNames | undefined;
}

export function lintForeignNames(notebook: Notebook): Diagnostic[] {
  const { cells } = notebook;
  const size = cells.reduce((sum, cell) => sum + cell.bodyText.length, 0);
  const data = cells.filter(
    (cell) => traitsOf(cell).isValue && !isBindableName(cell.id) && HEAD.test(cell.id),
  );
  const code = cells
    .filter(isRun)
    .map((cell) => ({ cell, language: languageOf(notebook, cell) }))
    .filter(({ language }) => syntaxOf(language).names !== undefined);
  const languages = new Set(code.map(({ language }) => language));
  if (size > MAX_CHARACTERS || (languages.size < 2 && data.length === 0)) return [];
  const read = code.map(
    ({ cell, language }): Read => ({ cell, language, names: syntaxOf(language).names!(cell.body) }),
  );
  return [...languages].flatMap((language) => lintLanguage(notebook, language, { read, data }));
}

/** An id whose beginning looks like a name: `my-data`, `a.b`. */
const HEAD = /^([A-Za-z_]\w*)[.-]/;

const isRun = (cell: Cell) => isOwnCode(cell) && cell.get('disabled') !== 'true';

interface Found {
  read: readonly Read[];
  /** Data cells whose ids cannot be names. */
  data: readonly Cell[];
}

function lintLanguage(notebook: Notebook, language: string, { read, data }: Found): Diagnostic[] {
  const own = read.filter((each) => each.language === language);
  // A cell that cannot be read may define anything.
  if (own.some(({ names }) => names === undefined || names.isOpen)) return [];
  const known = new Set([
    ...own.flatMap(({ names }) => [...names!.defined]),
    ...notebook.cells.map(({ id }) => id),
  ]);
  const givers = giversOf(read.filter((each) => each.language !== language));
  return own.flatMap(({ cell, names }) =>
    [...names!.used].flatMap(([name, at]) => {
      if (known.has(name)) return [];
      const start = cell.bodyStart + at;
      const meant = data.find(({ id }) => isMeant(id, name, cell.body.slice(at, at + id.length)));
      if (meant !== undefined)
        return [
          problems.dataIdNoName(notebook.source.span(start, start + meant.id.length), meant.id, language),
        ];
      const giver = givers.get(name);
      if (giver === undefined) return [];
      const place = notebook.source.span(start, start + name.length);
      return [problems.foreignName(place, name, { giver: giver.cell.id, of: giver.language, language })];
    }),
  );
}

/** Whether the text is the id, of which the language sees only the beginning, or the name that stands for it. */
function isMeant(id: string, name: string, text: string): boolean {
  return name === nameFor(id) || (HEAD.exec(id)![1] === name && text === id);
}

/** By name, the first cell that defines it. */
function giversOf(others: readonly Read[]): Map<string, Read> {
  const found = new Map<string, Read>();
  for (const each of others)
    for (const name of each.names?.defined ?? []) if (!found.has(name)) found.set(name, each);
  return found;
}
