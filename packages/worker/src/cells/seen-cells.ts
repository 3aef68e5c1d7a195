/**
 * What a cell may see of cells that ran before it in its kernel, beyond what it says it builds on.
 *
 * Invariant: a cell is left out only where its kernel told that it changed names and nothing else, and none of them
 * stands in the text of the cell, or of anything that it sees. Where a language cannot tell, every earlier cell counts.
 * A name does not count that the cell itself imports before all else, or that held the same import before.
 */
import { type CellTask, traitsOf } from '@woof/net';
import { type LeadingImports, leadingImports } from './leading-imports.ts';
import type { PlanCells } from './plan-cells.ts';

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
    return text.mayShow(left, bound) || text.mayReach(importsOf(each.cell).modules);
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

/** The words of some cells: what they may name. Those in quotes and comments count: a name may be looked up by its text. */
export class Mentioned {
  readonly #words = new Set<string>();
  readonly #modules = new Set<string>();
  readonly #reader: ReadonlySet<string>;
  #isOpen = false;

  /** `reader`: the cell that may see something. What it imports first, it has from nobody else. */
  constructor(cells: Iterable<CellTask>, reader?: CellTask) {
    this.#reader = reader ? importsOf(reader).bound : new Set();
    for (const cell of cells) this.add(cell);
  }

  add(cell: CellTask): void {
    if (traitsOf(cell).isValue) return;
    for (const word of wordsOf(cell)) this.#words.add(word);
    for (const module of importsOf(cell).modules) this.#modules.add(module);
    this.#isOpen ||= WHOLE_WOOF.test(cell.body) || OPENING.some((word) => this.#words.has(word));
  }

  /** Whether what a cell left, or what was bound for it, may show. */
  mayShow(left: Left, bound: readonly string[] = []): boolean {
    if (left === undefined) return true;
    const names = [...left, ...bound];
    if (this.#isOpen) return names.length > 0;
    return names.some((name) => !this.#reader.has(name) && this.#has(name));
  }

  /** Whether loading these may show: a part of a package is an attribute of it for all who have the package. */
  mayReach(modules: readonly string[]): boolean {
    return modules.some((module) => !this.#modules.has(module) && this.#reaches(module));
  }

  #reaches(module: string): boolean {
    const at = module.lastIndexOf('.');
    const outer = module.slice(0, Math.max(at, 0));
    const hasPackage = this.#modules.has(outer) || wordsIn(outer).every((word) => this.#words.has(word));
    return at > 0 && hasPackage && this.#words.has(module.slice(at + 1));
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

interface Read {
  imports: LeadingImports;
  words: readonly string[];
}

const known = new WeakMap<CellTask, Read>();

const importsOf = (cell: CellTask) => read(cell).imports;
const wordsOf = (cell: CellTask) => read(cell).words;

function read(cell: CellTask): Read {
  let found = known.get(cell);
  if (found === undefined) {
    const imports = importsAtTop(cell);
    found = { imports, words: wordsIn(imports.rest) };
    known.set(cell, found);
  }
  return found;
}

/** Languages whose imports can be read. */
const IMPORTS: Readonly<Record<string, (body: string) => LeadingImports>> = { python: leadingImports };

function importsAtTop(cell: CellTask): LeadingImports {
  const reader = traitsOf(cell).isCode ? IMPORTS[cell.language] : undefined;
  return reader?.(cell.body) ?? { bound: new Set(), modules: [], rest: cell.body };
}

/** Python takes names that look different for the same. Classes of Unicode cost a millisecond where none is needed. */
function wordsIn(text: string): string[] {
  const isPlain = !/[^\0-\x7f]/.test(text);
  const words = isPlain
    ? text.match(/[A-Za-z_]\w*/g)
    : text.normalize('NFKC').match(/[\p{L}_][\p{L}\p{M}\p{N}_]*/gu);
  return [...new Set(words)];
}
