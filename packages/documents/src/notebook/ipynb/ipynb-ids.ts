/** Ids of cells on both sides: Jupyter ids have no dots and at most 64 characters; all are unique in their file. */
import type { Cell } from '../cell.ts';

const JUPYTER_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** For each cell, its own id if Jupyter accepts it, else one made from it. */
export function cellIds(cells: readonly Cell[]): string[] {
  const taken = new Set(cells.map(({ id }) => id));
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return cells.map(({ id }) => {
    const own = JUPYTER_ID.test(id) && !used.has(id) ? id : undefined;
    const base = id.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 50) || 'cell';
    const given = own ?? freeId(base, taken, counts);
    taken.add(given);
    used.add(given);
    return given;
  });
}

/** The first free one of `base-1`, `base-2`, …; the count continues where the last search for this base ended. */
export function freeId(base: string, taken: ReadonlySet<string>, counts: Map<string, number>): string {
  let number = (counts.get(base) ?? 0) + 1;
  while (taken.has(`${base}-${number}`)) number++;
  counts.set(base, number);
  return `${base}-${number}`;
}
