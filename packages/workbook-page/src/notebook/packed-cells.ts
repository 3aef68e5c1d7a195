/**
 * The dependencies of cells, as ranges of indices in the order of the cells: in a linear notebook each cell depends on
 * all cells before it, and listing all their names would take quadratic space.
 */
import type { PageCell } from './page-model.ts';

export interface PackedCell extends Omit<PageCell, 'needs'> {
  /** First and last index of each range. */
  needs: [number, number][];
}

export function packCells(cells: readonly PageCell[]): PackedCell[] {
  const places = new Map(cells.map(({ id }, at) => [id, at]));
  return cells.map((cell) => ({ ...cell, needs: rangesOf(cell.needs.map((id) => places.get(id)!)) }));
}

function rangesOf(places: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const place of [...places].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}

/** The names are computed on demand. */
export function unpackCells(packed: readonly PackedCell[]): PageCell[] {
  const ids = packed.map(({ id }) => id);
  return packed.map(({ needs: ranges, ...cell }) =>
    Object.defineProperty(cell as PageCell, 'needs', {
      get: () => ranges.flatMap(([first, last]) => ids.slice(first, last + 1)),
      enumerable: true,
    }),
  );
}
