/**
 * What a cell may see of cells that ran before it in its kernel, beyond what it says it builds on.
 *
 * Invariant: a cell is left out only where its kernel told that it changed names and nothing else, and none of them may
 * be taken by the text of the cell, or by functions and texts of anything that it sees. Where a language cannot tell,
 * every earlier cell counts. A name does not count that held the same import before.
 */
import { type CellTask, traitsOf } from '@woof/net';
import type { PlanCells } from './plan-cells.ts';
import { type CellReads, pythonReads, readsOfText } from './python/python-reads.ts';
import { wordsIn } from './python/words.ts';

/** The names that are all a cell changed in its kernel; undefined where it may have changed anything. */
export type Left = readonly string[] | undefined;

/** An earlier cell of the kernel. */
export interface Earlier {
  cell: CellTask;
  left: Left;
  /** Of the names that it left, from where those come that hold what can be imported. */
  imports: ReadonlyMap<string, string>;
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
  const { isValue, isChart } = traitsOf(cell);
  if (cell.isolated || isValue) return new Set();
  if (!isChart) return new Set([cell.session]);
  const sources = cell.needs.flatMap((id) => cells.get(id) ?? []).filter(leavesState);
  return new Set(sources.map(({ session }) => session));
}

const leavesState = (cell: CellTask) => !cell.isolated && traitsOf(cell).isCode;

export interface Surroundings {
  cells: PlanCells;
  undeclaredBy(id: string): readonly string[];
  /** Whether cells failed before it: nobody knows which names they set. */
  hasFailures: boolean;
}

/** Ids of what a cell sees without building on it: seeing one cell leads to the names that its text mentions. */
export function undeclaredOf(
  cell: CellTask,
  earlier: readonly Earlier[],
  { cells, undeclaredBy, hasFailures }: Surroundings,
): string[] {
  const own = new Set([cell.id, ...cell.needs]);
  const open = earlier.filter((each) => !own.has(each.cell.id));
  const found = new Set(cell.needs.flatMap(undeclaredBy).filter((id) => !own.has(id)));
  if (open.length === 0) return [...found];
  const text = new Mentioned(
    [...own, ...found].flatMap((id) => cells.get(id) ?? []),
    cell,
  );
  const isSeen = (id: string) => own.has(id) || found.has(id);
  const isAgain = (name: string, each: Earlier) => !hasFailures && isSameImport(name, each, earlier, isSeen);
  const isOwn = (id: string) => !hasFailures && isOwnData(id, cell, earlier, cells);
  const shows = (each: Earlier): boolean => {
    const left = each.left?.filter((name) => !isAgain(name, each));
    const bound = each.bound.filter((id) => !isOwn(id));
    return text.mayShow(left, bound) || text.mayReach(readsOf(each.cell).mayLoad);
  };
  const look = (each: Earlier): boolean => {
    if (found.has(each.cell.id) || !shows(each)) return false;
    for (const id of [each.cell.id, ...each.cell.needs, ...each.undeclared]) {
      if (isSeen(id)) continue;
      found.add(id);
      text.add(cells.get(id)!);
    }
    return true;
  };
  while (open.filter(look).length > 0);
  return [...found];
}

/** Whether a name held the same import before the cell imported it again, by a cell that is seen. */
function isSameImport(
  name: string,
  { cell, imports }: Earlier,
  earlier: readonly Earlier[],
  isSeen: (id: string) => boolean,
): boolean {
  const origin = imports.get(name);
  if (origin === undefined) return false;
  const before = earlier.slice(
    0,
    earlier.findIndex((each) => each.cell === cell),
  );
  const last = before.findLast((each) => each.cell.session === cell.session && mayHaveSet(name, each));
  return last !== undefined && last.imports.get(name) === origin && isSeen(last.cell.id);
}

const mayHaveSet = (name: string, { left, bound }: Earlier) =>
  left === undefined || left.includes(name) || bound.includes(name);

/** Data that the cell builds on is bound for it too; when, matters only if a cell gives its name another value. */
function isOwnData(id: string, { needs }: CellTask, earlier: readonly Earlier[], cells: PlanCells): boolean {
  const data = cells.get(id);
  const isData = data !== undefined && traitsOf(data).isValue && needs.includes(id);
  return isData && earlier.every(({ left }) => left !== undefined && !left.includes(id));
}

/**
 * Names that the cell sets and that nobody may read before: neither it nor what it calls. Which value they had is
 * hidden from it, so that what it leaves does not depend on it.
 */
export function ownNamesOf(cell: CellTask, seen: readonly CellTask[]): string[] {
  const text = new Mentioned([cell, ...seen], cell);
  return [...readsOf(cell).sets].filter((name) => !text.mayShow([name]));
}

/** What some cells may name. */
export class Mentioned {
  readonly #words = new Set<string>();
  readonly #labels = new Set<string>();
  readonly #all = new Set<string>();
  readonly #loads = new Set<string>();
  readonly #packages = new Set<string>();
  readonly #reader: CellTask | undefined;
  #takesLabels = false;
  #isOpen = false;

  /** `reader`: the cell that may see something. Of the others, only what they left acts after it began. */
  constructor(cells: Iterable<CellTask>, reader?: CellTask) {
    this.#reader = reader;
    for (const cell of cells) this.add(cell);
  }

  add(cell: CellTask): void {
    if (traitsOf(cell).isValue) return;
    const { now, later, labels, takesLabels, all, loads, mayLoad } = readsOf(cell);
    const isLater = this.#reader !== undefined && this.#reader.id !== cell.id;
    for (const word of isLater ? later : now) this.#words.add(word);
    for (const word of labels) this.#labels.add(word);
    for (const word of all) this.#all.add(word);
    for (const module of loads) this.#loads.add(module);
    for (const module of mayLoad) this.#packages.add(module);
    this.#takesLabels ||= takesLabels;
    this.#isOpen ||= WHOLE_WOOF.test(cell.body) || OPENING.some((word) => this.#all.has(word));
  }

  /** Whether what a cell left, or what was bound for it, may show. */
  mayShow(left: Left, bound: readonly string[] = []): boolean {
    if (left === undefined) return true;
    const names = [...left, ...bound];
    if (this.#isOpen) return names.length > 0;
    const leading = this.#reader && readsOf(this.#reader).leading;
    return names.some((name) => !leading?.has(name) && this.#has(name));
  }

  /** Whether loading these may show: a part of a package is an attribute of it for all who have the package. */
  mayReach(modules: readonly string[]): boolean {
    return modules.some((module) => !this.#loads.has(module) && this.#reaches(module));
  }

  #reaches(module: string): boolean {
    const at = module.lastIndexOf('.');
    const outer = module.slice(0, Math.max(at, 0));
    const hasPackage = this.#packages.has(outer) || wordsIn(outer).every((word) => this.#all.has(word));
    return at > 0 && hasPackage && this.#all.has(module.slice(at + 1));
  }

  /** What is no word itself may be made of some. */
  #has(name: string): boolean {
    return wordsIn(name).every(
      (word) => this.#words.has(word) || (this.#takesLabels && this.#labels.has(word)),
    );
  }
}

/** Words of Python after which names may be used that no text shows. */
const OPENING =
  `globals locals vars dir eval exec compile modules inspect gc unittest doctest dill currentframe _getframe get_ipython
   import_module __import__ __main__ __dict__ __globals__ __builtins__ f_globals f_locals f_back`.split(
    /\s+/,
  );

/** All that is bound, not one entry of it. */
const WHOLE_WOOF = /\bwoof\b(?!\s*[.[])/;

const known = new WeakMap<CellTask, CellReads>();

function readsOf(cell: CellTask): CellReads {
  let found = known.get(cell);
  if (found === undefined) {
    found = READERS[traitsOf(cell).isCode ? cell.language : '']?.(cell.body) ?? readsOfText(cell.body);
    known.set(cell, found);
  }
  return found;
}

/** Languages whose text can be read. */
const READERS: Readonly<Record<string, (body: string) => CellReads>> = { python: pythonReads };
