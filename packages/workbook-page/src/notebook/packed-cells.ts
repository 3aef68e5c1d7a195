/**
 * What cells build on, as ranges of places in the order of the cells: in a linear notebook each cell builds on all
 * before it, and the names of them all would grow with the square of their number.
 */
import type { PageCell } from './page-model.ts';

export interface PackedCell extends Omit<PageCell, 'needs'> {
  /** First and last place of each range. */
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

/** The names are made when somebody asks for them. */
export function unpackCells(packed: readonly PackedCell[]): PageCell[] {
  const ids = packed.map(({ id }) => id);
  return packed.map(({ needs: ranges, ...cell }) =>
    Object.defineProperty(cell as PageCell, 'needs', {
      get: () => ranges.flatMap(([first, last]) => ids.slice(first, last + 1)),
      enumerable: true,
    }),
  );
}
