import { traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import { graphOfNotebook } from './graph.ts';
import type { Notebook } from './notebook.ts';

/**
 * All cells in an order in which they can run: file order if that works, else graph order, with each text before the
 * cell that it introduces.
 */
export function runnableOrder(notebook: Notebook): readonly Cell[] {
  const { cells } = notebook;
  const { edges, order } = graphOfNotebook(notebook);
  const place = new Map(cells.map(({ id }, i) => [id, i]));
  if (edges.every(({ from, to }) => place.get(from)! < place.get(to)!)) return cells;
  const groups = new Map<string, Cell[]>();
  let group: Cell[] = [];
  for (const cell of cells) {
    group.push(cell);
    if (!traitsOf(cell).isStep || groups.has(cell.id)) continue;
    groups.set(cell.id, group);
    group = [];
  }
  const ordered = [...order.flatMap((id) => groups.get(id) ?? []), ...group];
  // Cells that wait for each other have no order.
  return ordered.length === cells.length ? ordered : cells;
}
