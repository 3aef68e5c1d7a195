/**
 * Names that no cell of the language defines: those of cells of another language, which come under the id of their cell,
 * and ids of data that are no names. Told only where no doubt is left.
 */
import { canonicalLanguage, type Diagnostic, isBindableName } from '@woof/net';
import type { Cell } from './cell.ts';
import type { CellNames } from './cell-names.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { javascriptNames } from './javascript/javascript-names.ts';
import type { Notebook } from './notebook.ts';
import { pythonNames } from './python/python-names.ts';
import { rNames } from './r/r-names.ts';

const MAX_CHARACTERS = 8_000_000;

const READERS = new Map<string, (code: string) => CellNames | undefined>([
  ['python', pythonNames],
  ['javascript', javascriptNames],
  ['r', rNames],
]);

interface Read {
  cell: Cell;
  language: string;
  /** Absent where the body could not be read. */
  names: CellNames | undefined;
}

export function lintForeignNames(notebook: Notebook): Diagnostic[] {
  const { cells } = notebook;
  const size = cells.reduce((sum, cell) => sum + cell.bodyText.length, 0);
  const data = cells.filter(({ type, id }) => type === 'data' && !isBindableName(id) && HEAD.test(id));
  const code = cells.filter((cell) => isRun(cell) && READERS.has(languageOf(notebook, cell)));
  const languages = new Set(code.map((cell) => languageOf(notebook, cell)));
  if (size > MAX_CHARACTERS || (languages.size < 2 && data.length === 0)) return [];
  const read = code.map((cell): Read => {
    const language = languageOf(notebook, cell);
    return { cell, language, names: READERS.get(language)!(cell.body) };
  });
  return [...languages].flatMap((language) => lintLanguage(notebook, language, { read, data }));
}

/** An id whose beginning looks like a name: `my-data`, `a.b`. */
const HEAD = /^([A-Za-z_]\w*)[.-]/;

const isRun = (cell: Cell) =>
  (cell.type === 'code' || cell.type === 'test') && cell.get('disabled') !== 'true' && !cell.token('kernel');

function languageOf({ header }: Notebook, cell: Cell): string {
  return canonicalLanguage(cell.get('lang') ?? header.language ?? 'python');
}

interface Found {
  read: readonly Read[];
  /** Data cells whose ids are no names. */
  data: readonly Cell[];
}

function lintLanguage(notebook: Notebook, language: string, { read, data }: Found): Diagnostic[] {
  const own = read.filter((each) => each.language === language);
  // One that cannot be read may define anything.
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
      const id = data.find(
        (each) => HEAD.exec(each.id)![1] === name && cell.body.startsWith(each.id, at),
      )?.id;
      if (id !== undefined)
        return [problems.dataIdNoName(notebook.source.span(start, start + id.length), id, language)];
      const giver = givers.get(name);
      if (giver === undefined) return [];
      const place = notebook.source.span(start, start + name.length);
      return [problems.foreignName(place, name, { giver: giver.cell.id, of: giver.language, language })];
    }),
  );
}

/** By name, the first cell that defines it. */
function giversOf(others: readonly Read[]): Map<string, Read> {
  const found = new Map<string, Read>();
  for (const each of others)
    for (const name of each.names?.defined ?? []) if (!found.has(name)) found.set(name, each);
  return found;
}
