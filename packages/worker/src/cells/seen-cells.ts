/**
 * What a cell may see of cells that ran before it in its kernel, beyond what it says it builds on.
 *
 * Invariant: a cell is left out only where its kernel told that it changed names and nothing else, and none of them
 * stands in the text of the cell, or of anything that it sees. Where a language cannot tell, every earlier cell counts.
 */
import type { CellTask } from '@woof/net';
import type { PlanCells } from './plan-cells.ts';

/** The names that are all a cell changed in its kernel; undefined where it may have changed anything. */
export type Left = readonly string[] | undefined;

/** An earlier cell of the kernel. */
export interface Earlier {
  cell: CellTask;
  left: Left;
  /** Ids of what was bound in the kernel for it: data, and cells of other languages. */
  bound: readonly string[];
  /** Ids of what it sees without building on it. */
  undeclared: readonly string[];
}

/** The cells that come before it in the kernels that it uses, in order. */
export function earlierInKernel(cell: CellTask, cells: PlanCells): CellTask[] {
  const sessions = kernelsOf(cell, cells);
  const found: CellTask[] = [];
  if (sessions.size === 0) return found;
  for (const other of cells.values()) {
    if (other.id === cell.id) break;
    if (sessions.has(other.session) && leavesState(other)) found.push(other);
  }
  return found;
}

/** A chart reads from those of what it builds on. */
export function kernelsOf(cell: CellTask, cells: PlanCells): Set<string> {
  if (cell.isolated || cell.type === 'data') return new Set();
  if (cell.type !== 'viz') return new Set([cell.session]);
  const sources = cell.needs.flatMap((id) => cells.get(id) ?? []).filter(leavesState);
  return new Set(sources.map(({ session }) => session));
}

const leavesState = ({ type, isolated }: CellTask) => !isolated && type !== 'data' && type !== 'viz';

/** Ids of what a cell sees without building on it: seeing one cell leads to the names that its text mentions. */
export function undeclaredOf(
  cell: CellTask,
  earlier: readonly Earlier[],
  { cells, undeclaredBy }: { cells: PlanCells; undeclaredBy(id: string): readonly string[] },
): string[] {
  const own = new Set([cell.id, ...cell.needs]);
  const open = earlier.filter((each) => !own.has(each.cell.id));
  const found = new Set(cell.needs.flatMap(undeclaredBy).filter((id) => !own.has(id)));
  if (open.length === 0) return [...found];
  const text = new Mentioned([...own, ...found].flatMap((id) => cells.get(id) ?? []));
  const look = (each: Earlier): boolean => {
    if (found.has(each.cell.id) || !text.mayShow(each.left, each.bound)) return false;
    for (const id of [each.cell.id, ...each.cell.needs, ...each.undeclared]) {
      if (own.has(id) || found.has(id)) continue;
      found.add(id);
      text.add(cells.get(id)!);
    }
    return true;
  };
  while (open.filter(look).length > 0);
  return [...found];
}

/** The words of some cells: what they may name. Those in quotes and comments count: a name may be looked up by its text. */
export class Mentioned {
  readonly #words = new Set<string>();
  #isOpen = false;

  constructor(cells: Iterable<CellTask>) {
    for (const cell of cells) this.add(cell);
  }

  add(cell: CellTask): void {
    if (cell.type === 'data') return;
    for (const word of wordsOf(cell)) this.#words.add(word);
    this.#isOpen ||= WHOLE_WOOF.test(cell.body) || OPENING.some((word) => this.#words.has(word));
  }

  /** Whether what a cell left, or what was bound for it, may show. */
  mayShow(left: Left, bound: readonly string[] = []): boolean {
    if (left === undefined) return true;
    const names = [...left, ...bound];
    return names.length > 0 && (this.#isOpen || names.some((name) => this.#has(name)));
  }

  /** What is no word itself may be made of some. */
  #has(name: string): boolean {
    return this.#words.has(name) || wordsIn(name).every((word) => this.#words.has(word));
  }
}

/** Words of Python after which names may be used that no text shows. */
const OPENING =
  `globals locals vars dir eval exec compile modules inspect gc unittest doctest dill currentframe _getframe get_ipython
   import_module __import__ __main__ __dict__ __globals__ __builtins__`.split(/\s+/);

/** All that is bound, not one entry of it. */
const WHOLE_WOOF = /\bwoof\b(?!\s*[.[])/;

const known = new WeakMap<CellTask, readonly string[]>();

function wordsOf(cell: CellTask): readonly string[] {
  let words = known.get(cell);
  if (words === undefined) {
    words = wordsIn(cell.body);
    known.set(cell, words);
  }
  return words;
}

/** Python takes names that look different for the same. Classes of Unicode cost a millisecond where none is needed. */
function wordsIn(text: string): string[] {
  const isPlain = !/[^\0-\x7f]/.test(text);
  const words = isPlain
    ? text.match(/[A-Za-z_]\w*/g)
    : text.normalize('NFKC').match(/[\p{L}_][\p{L}\p{M}\p{N}_]*/gu);
  return [...new Set(words)];
}
