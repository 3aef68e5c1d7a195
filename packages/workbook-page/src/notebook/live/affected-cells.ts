/** Which cells run again after a change: those that use what changed, and all their dependents. Pure. */
import { traitsOf } from '@woof/net';
import type { PageCell } from '../page-model.ts';

/** In the order in which they run. */
export function withDependents(cells: readonly PageCell[], changed: Iterable<string>): PageCell[] {
  const affected = new Set(changed);
  for (const { id, needs } of cells) if (needs.some((need) => affected.has(need))) affected.add(id);
  return cells.filter(({ id }) => affected.has(id));
}

type Readable = Pick<PageCell, 'id' | 'type' | 'body'>;

/** The cells that may read a parameter: a cell that uses `parameters` other than by a key may read all of them. */
export function readersOf(cells: readonly Readable[], parameter: string): string[] {
  return cells.filter((cell) => reads(cell, parameter)).map(({ id }) => id);
}

const USE =
  /(?<![\p{L}\p{N}_])parameters(?![\p{L}\p{N}_])(?:\s*(?:\?\.)?\[{1,2}\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]|\s*(?:\??\.|\$)\s*(?:get\(\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*[,)]|([\p{L}_$][\p{L}\p{N}_$]*)))?/gu;

function reads(cell: Readable, parameter: string): boolean {
  if (!traitsOf(cell).isCode) return false;
  for (const [, double, single, got, gotSingle, dotted] of cell.body.matchAll(USE)) {
    const key = double ?? single ?? got ?? gotSingle ?? dotted;
    if (key === undefined || key === parameter || isMethod(key)) return true;
  }
  return false;
}

/** Methods of dictionaries: which keys they read is not known. */
const isMethod = (key: string) => ['items', 'keys', 'values', 'get', 'copy', 'pop'].includes(key);
