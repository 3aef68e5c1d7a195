/**
 * Names that a cell of a graph takes from a cell that is not among its deps: whether they exist when it runs depends on
 * which cell happened to run first. Reported only if there is no doubt.
 */
import { type Diagnostic, traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import { isOwnCode, kernelOf, languageOf } from './cell-language.ts';
import type { CellNames } from './cell-names.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { knownSyntaxes, syntaxOf } from './languages.ts';
import { effectsOf } from './lint-effects.ts';
import type { Notebook } from './notebook.ts';
import { Reachability } from './reachability.ts';

const MAX_CHARACTERS = 8_000_000;

interface Known {
  cell: Cell;
  /** Undefined if the body could not be read. */
  names?: CellNames | undefined;
}

export function lintNames(notebook: Notebook): Diagnostic[] {
  const { header, cells } = notebook;
  if (header.order !== 'graph') return [];
  const size = cells.reduce((sum, cell) => sum + cell.bodyText.length, 0);
  if (size > MAX_CHARACTERS) return [];
  const reach = Reachability.of(new Map(cells.map((cell) => [cell.id, cell.deps])));
  if (reach === undefined) return [];
  const checked = knownSyntaxes.filter(([, { checksDeps }]) => checksDeps);
  return [
    ...checked.flatMap(([language]) => lintLanguage(notebook, language, reach)),
    ...lintWoof(notebook, reach),
  ];
}

/** `woof["days"]`, `woof[["days"]]`; not an assignment. A language may have a spelling of its own. */
const WOOF = /\bwoof\s*\[\[?\s*(["'])(?<id>[^"'\n]+)\1\s*\]\]?(?!\s*=(?!=))/g;

/** Data by its id, in any language. */
function lintWoof(notebook: Notebook, reach: Reachability): Diagnostic[] {
  const data = new Set(notebook.cells.filter((cell) => traitsOf(cell).isValue).map(({ id }) => id));
  const code = notebook.cells.filter(
    (cell) => traitsOf(cell).isCode && kernelOf(cell) === undefined && cell.get('disabled') !== 'true',
  );
  return code.flatMap((cell) =>
    readsOfWoof(notebook, cell).flatMap(({ 0: text, groups, index }) => {
      const id = groups?.id ?? '';
      if (!data.has(id) || reach.waitsFor(cell.id, id) || isInComment(cell.body, index)) return [];
      const start = cell.bodyStart + index;
      return [problems.hiddenName(notebook.source.span(start, start + text.length), text, id)];
    }),
  );
}

function readsOfWoof(notebook: Notebook, cell: Cell): RegExpExecArray[] {
  const { woof: own } = syntaxOf(languageOf(notebook, cell));
  return [WOOF, ...(own ? [own] : [])].flatMap((spelling) => [...cell.body.matchAll(spelling)]);
}

/** If in doubt, true. */
function isInComment(body: string, at: number): boolean {
  const line = body.slice(body.lastIndexOf('\n', at - 1) + 1, at);
  return line.includes('#') || line.includes('//');
}

function lintLanguage(notebook: Notebook, language: string, reach: Reachability): Diagnostic[] {
  const sharing = notebook.cells.filter((cell) => isShared(notebook, cell, language));
  const known = new Map(
    sharing.map((cell) => [cell.id, { cell, names: namesOf(cell, language) } satisfies Known]),
  );
  const definers = definersOf(known, reach);
  const unclear = reach.setOf([...known].flatMap(([id, { names }]) => (names && !names.isOpen ? [] : [id])));
  return [...known.values()].flatMap((each) => lintCell(notebook, each, { reach, definers, unclear }));
}

/** Whether the cell runs in the session of a language; data is bound in all of them. */
function isShared(notebook: Notebook, cell: Cell, language: string): boolean {
  if (cell.get('disabled') === 'true' || effectsOf(cell).isolated) return false;
  return traitsOf(cell).isValue || (isOwnCode(cell) && languageOf(notebook, cell) === language);
}

function namesOf(cell: Cell, language: string): CellNames | undefined {
  if (!traitsOf(cell).isValue) return syntaxOf(language).names?.(cell.body);
  return { defined: new Set([cell.id]), used: new Map(), isOpen: false };
}

/** If a name has more definers than this, they are searched all at once. */
const FEW = 32;

interface Definers {
  ids: string[];
  set?: Uint32Array;
}

/** Only for names that another cell uses. */
function definersOf(known: ReadonlyMap<string, Known>, reach: Reachability): Map<string, Definers> {
  const used = new Set([...known.values()].flatMap(({ names }) => [...(names?.used.keys() ?? [])]));
  const ids = new Map<string, string[]>();
  for (const [id, { names }] of known) {
    for (const name of names?.defined ?? []) {
      if (!used.has(name)) continue;
      const others = ids.get(name);
      if (others) others.push(id);
      else ids.set(name, [id]);
    }
  }
  return new Map(
    [...ids].map(([name, each]) => [
      name,
      each.length > FEW ? { ids: each, set: reach.setOf(each) } : { ids: each },
    ]),
  );
}

interface Setting {
  reach: Reachability;
  definers: ReadonlyMap<string, Definers>;
  /** Cells that may define anything. */
  unclear: Uint32Array;
}

function lintCell(
  notebook: Notebook,
  { cell, names }: Known,
  { reach, definers, unclear }: Setting,
): Diagnostic[] {
  const candidates = [...(names?.used ?? [])].filter(([name]) => definers.has(name));
  if (!names || names.isOpen || candidates.length === 0) return [];
  if (reach.waitsForAny(cell.id, unclear)) return [];
  return candidates.flatMap(([name, at]) => {
    const { ids, set } = definers.get(name)!;
    const isThere = set ? reach.waitsForAny(cell.id, set) : ids.some((id) => reach.waitsFor(cell.id, id));
    if (isThere) return [];
    const source = ids.find((id) => !reach.waitsFor(id, cell.id));
    if (source === undefined) return [];
    const start = cell.bodyStart + at;
    return [problems.hiddenName(notebook.source.span(start, start + name.length), name, source)];
  });
}
