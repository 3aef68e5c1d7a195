/** What is wrong with the deps of cells: names, cycles, and deps that can have no effect. */
import { type Diagnostic, traitsOf } from '@woof/net';
import { findCycles } from '../graph/cycles.ts';
import type { Cell } from './cell.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import type { Notebook } from './notebook.ts';

interface Place {
  cell: Cell;
  index: number;
}

/** More than is ever shown; beyond it, no nearest name is searched for. */
const ENOUGH_HINTS = 200;

export function lintDeps(notebook: Notebook): Diagnostic[] {
  const places = new Map<string, Place>();
  for (const [index, cell] of notebook.cells.entries()) {
    if (cell.id !== '' && !places.has(cell.id)) places.set(cell.id, { cell, index });
  }
  const found: Diagnostic[] = [];
  const ids = [...places.keys()];
  for (const [index, cell] of notebook.cells.entries()) {
    const candidates = found.length < ENOUGH_HINTS ? ids : [];
    for (const problem of lintCell(notebook, { cell, index }, places, candidates)) found.push(problem);
  }
  return notebook.header.order === 'graph' ? [...found, ...lintCycles(notebook, places)] : found;
}

function lintCell(
  notebook: Notebook,
  { cell, index }: Place,
  places: ReadonlyMap<string, Place>,
  candidates: readonly string[],
): Diagnostic[] {
  const isLinear = notebook.header.order === 'linear';
  const seen = new Set<string>();
  let unknown = 0;
  return depPlaces(cell).flatMap(({ dep, start, end }) => {
    const at = () => notebook.source.span(start, end);
    if (seen.has(dep)) return [problems.duplicateDep(at(), dep)];
    seen.add(dep);
    if (dep === cell.id) return [problems.selfDep(at(), dep)];
    const target = places.get(dep);
    if (!target) return [problems.unknownDep(at(), dep, ++unknown < ENOUGH_HINTS ? candidates : [])];
    const { type } = target.cell;
    const isOff = target.cell.get('disabled') === 'true' && cell.get('disabled') !== 'true';
    return [
      ...(!traitsOf({ type }).isStep ? [problems.idleDep(at(), dep, type)] : []),
      ...(isOff ? [problems.disabledDep(at(), dep)] : []),
      ...(isLinear && target.index > index ? [problems.laterDep(at(), dep)] : []),
    ];
  });
}

interface DepPlace {
  dep: string;
  start: number;
  end: number;
}

/** Each dep with its position; if escapes shift the letters, the position of the whole value. */
function depPlaces(cell: Cell): DepPlace[] {
  const token = cell.token('deps');
  if (!token) return [];
  const whole = { start: cell.start + token.valueStart, end: cell.start + token.end };
  const written = token.raw.slice(token.valueStart - token.start);
  const isMoved = written.includes('\\');
  let at = whole.start + (written.startsWith('"') ? 1 : 0);
  return token.value.split(',').flatMap((word) => {
    const dep = word.trim();
    const start = at + word.indexOf(dep);
    at += word.length + 1;
    if (dep === '') return [];
    return [isMoved ? { dep, ...whole } : { dep, start, end: start + dep.length }];
  });
}

function lintCycles(notebook: Notebook, places: ReadonlyMap<string, Place>): Diagnostic[] {
  const deps = new Map([...places].map(([id, { cell }]) => [id, cell.deps.filter((dep) => dep !== id)]));
  return findCycles(deps).map((path) => {
    const { cell } = places.get(path[0]!)!;
    const { start, end } = depPlaces(cell).find(({ dep }) => dep === path[1])!;
    return problems.cycle(notebook.source.span(start, end), path);
  });
}
