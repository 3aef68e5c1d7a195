/**
 * Names that a Python cell of a graph takes from a cell that is not among its deps: whether they are there when it
 * runs depends on which cell happened to run first. Told only where no doubt is left.
 */
import type { Diagnostic } from '@woof/net';
import type { Cell } from '../cell.ts';
import { notebookProblems as problems } from '../diagnostics.ts';
import { effectsOf } from '../lint-effects.ts';
import type { Notebook } from '../notebook.ts';
import { type PythonNames, pythonNames } from './python-names.ts';

/** The search looks at every pair of cells; beyond this it would be felt. */
const MAX_CELLS = 2000;
const MAX_CHARACTERS = 4_000_000;

interface Known {
  cell: Cell;
  /** Absent where the body could not be read. */
  names?: PythonNames | undefined;
}

export function lintPython(notebook: Notebook): Diagnostic[] {
  const { header, cells } = notebook;
  if (header.order !== 'graph' || header.language?.toLowerCase() !== 'python') return [];
  const size = cells.reduce((sum, cell) => sum + cell.bodyText.length, 0);
  if (cells.length > MAX_CELLS || size > MAX_CHARACTERS) return [];
  const known = new Map(
    cells.filter(isShared).map((cell) => [cell.id, { cell, names: namesOf(cell) } satisfies Known]),
  );
  const definers = definersOf(known);
  return [...known.values()].flatMap((each) => lintCell(notebook, each, known, definers));
}

/** Whether the cell runs in the notebook's own session. */
function isShared(cell: Cell): boolean {
  const isPython = (cell.get('lang') ?? 'python').toLowerCase() === 'python' && !cell.token('kernel');
  const isRun = ['code', 'test', 'data'].includes(cell.type) && cell.get('disabled') !== 'true';
  return isPython && isRun && !effectsOf(cell).isolated;
}

function namesOf(cell: Cell): PythonNames | undefined {
  if (cell.type !== 'data') return pythonNames(cell.body);
  return { defined: new Set([cell.id]), used: new Map(), isOpen: false };
}

function definersOf(known: ReadonlyMap<string, Known>): Map<string, string[]> {
  const definers = new Map<string, string[]>();
  for (const [id, { names }] of known) {
    for (const name of names?.defined ?? []) definers.set(name, [...(definers.get(name) ?? []), id]);
  }
  return definers;
}

function lintCell(
  notebook: Notebook,
  { cell, names }: Known,
  known: ReadonlyMap<string, Known>,
  definers: ReadonlyMap<string, string[]>,
): Diagnostic[] {
  const candidates = [...(names?.used ?? [])].filter(([name]) => definers.has(name));
  if (!names || names.isOpen || candidates.length === 0) return [];
  const ancestors = reach(cell, notebook);
  const isUnclear = [...ancestors].some((id) => {
    const before = known.get(id);
    return before !== undefined && (before.names === undefined || before.names.isOpen);
  });
  if (isUnclear) return [];
  return candidates.flatMap(([name, at]) => {
    const sources = definers.get(name)!;
    if (sources.some((id) => ancestors.has(id))) return [];
    const source = sources.find((id) => !reach(known.get(id)!.cell, notebook).has(cell.id));
    if (source === undefined) return [];
    const start = cell.bodyStart + at;
    return [problems.hiddenName(notebook.source.span(start, start + name.length), name, source)];
  });
}

/** All cells that a cell waits for, directly or not. */
function reach(cell: Cell, notebook: Notebook): Set<string> {
  const byId = indexOf(notebook);
  const found = new Set<string>();
  const queue = [...cell.deps];
  for (const id of queue) {
    if (found.has(id)) continue;
    found.add(id);
    for (const dep of byId.get(id)?.deps ?? []) if (!found.has(dep)) queue.push(dep);
  }
  return found;
}

const indexes = new WeakMap<Notebook, Map<string, Cell>>();

function indexOf(notebook: Notebook): Map<string, Cell> {
  const index = indexes.get(notebook) ?? new Map(notebook.cells.map((cell) => [cell.id, cell]));
  indexes.set(notebook, index);
  return index;
}
