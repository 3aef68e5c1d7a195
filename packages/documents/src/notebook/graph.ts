/**
 * The cells of a notebook that run, what they wait for, and the order in which they run.
 *
 * In graph mode the edges are the deps; a dep on a cell that does not run (md, raw) leads through it to its own deps.
 * In linear mode each cell waits for the one above it. Ties: the higher priority first, then the order of the file.
 */
import { type Diagnostic, traitsOf } from '@woof/net';
import type { Graph } from '../graph/graph.ts';
import type { Cell } from './cell.ts';
import type { Notebook } from './notebook.ts';

/** Errors that leave open which cells there are or what they wait for. */
const UNCLEAR = new Set([
  ...[
    'missing-magic',
    'bad-magic',
    'unsupported-version',
    'unclosed-cell',
    'unquoted-braces',
    'header-not-a-map',
    'other-fence',
  ],
  ...[
    'missing-token',
    'unclosed-quote',
    'bad-id',
    'duplicate-id',
    'unknown-dep',
    'self-dep',
    'cycle',
    'not-one-of',
  ],
]);

export function hasGraph(diagnostics: readonly Diagnostic[]): boolean {
  return !diagnostics.some(({ code, severity }) => {
    const [area, problem] = code.split('/') as [string, string];
    return severity === 'error' && (area === 'yaml' || UNCLEAR.has(problem));
  });
}

export function graphOfNotebook(notebook: Notebook): Graph {
  const cells = stepCells(notebook);
  const edges = notebook.header.order === 'graph' ? depEdges(notebook, cells) : chainEdges(cells);
  return {
    nodes: cells.map(({ id, type }) => ({ id, type })),
    edges,
    order: orderCells(cells, edges),
  };
}

/** The cells that are steps of a run; of several with the same id, the first. */
function stepCells(notebook: Notebook): Cell[] {
  const seen = new Set<string>();
  return notebook.cells.filter(({ id, type }) => {
    if (!traitsOf({ type }).isStep || id === '' || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

type Edge = Graph['edges'][number];

function chainEdges(cells: readonly Cell[]): Edge[] {
  return cells.slice(1).map((cell, i) => ({ from: cells[i]!.id, to: cell.id }));
}

function depEdges(notebook: Notebook, cells: readonly Cell[]): Edge[] {
  const byId = new Map(notebook.cells.toReversed().map((cell) => [cell.id, cell]));
  return cells.flatMap((cell) => stepDeps(cell, byId).map((from) => ({ from, to: cell.id })));
}

function stepDeps(cell: Cell, byId: ReadonlyMap<string, Cell>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>([cell.id]);
  const queue = [...cell.deps];
  for (const id of queue) {
    const dep = byId.get(id);
    if (!dep || seen.has(id)) continue;
    seen.add(id);
    if (!traitsOf(dep).isStep) for (const next of dep.deps) queue.push(next);
    else found.add(id);
  }
  return [...found];
}

/** Cells on a cycle come last, in the order of the file. */
function orderCells(cells: readonly Cell[], edges: readonly Edge[]): string[] {
  const ranked = cells.toSorted((a, b) => priorityOf(b) - priorityOf(a));
  const rank = new Map(ranked.map(({ id }, i) => [id, i]));
  const out = new Map<string, string[]>(cells.map(({ id }) => [id, []]));
  const waiting = new Map(cells.map(({ id }) => [id, 0]));
  for (const { from, to } of edges) {
    out.get(from)!.push(to);
    waiting.set(to, waiting.get(to)! + 1);
  }
  const ready = ranked.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => rank.get(id)!);
  ready.reverse();
  const order: string[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const { id } = ranked[next]!;
    order.push(id);
    for (const to of out.get(id)!) {
      waiting.set(to, waiting.get(to)! - 1);
      if (waiting.get(to) === 0) insertDescending(ready, rank.get(to)!);
    }
  }
  const done = new Set(order);
  return [...order, ...cells.flatMap(({ id }) => (done.has(id) ? [] : [id]))];
}

function insertDescending(ranks: number[], rank: number): void {
  let low = 0;
  let high = ranks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranks[middle]! > rank) low = middle + 1;
    else high = middle;
  }
  ranks.splice(low, 0, rank);
}

function priorityOf(cell: Cell): number {
  const priority = Number(cell.get('priority') ?? 0);
  return Number.isSafeInteger(priority) ? priority : 0;
}
