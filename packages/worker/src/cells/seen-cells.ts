/**
 * What a cell may see of cells that ran before it in its kernel, beyond its declared dependencies.
 *
 * Invariant: a cell is left out only if its kernel reported that it changed names and nothing else, and none of these
 * names occurs in the text of the reading cell or of anything that it sees. If a language cannot tell, every earlier
 * cell counts. A name does not count if the reading cell itself imports it before anything else, or if it held the same
 * import before. Nor does it count if the reading cell assigns or imports it before mentioning it and no other text that
 * the cell sees has the name: whatever runs before that is in one of these texts or in a library. The kernel reports which
 * values can be discarded unnoticed.
 */
import { type CellTask, traitsOf } from '@woof/net';
import { type AssignedFirst, assignedFirst, lastOf } from './assigned-first.ts';
import { type LeadingImports, leadingImports, modulesIn } from './leading-imports.ts';
import type { PlanCells } from './plan-cells.ts';

/** All names that a cell changed in its kernel; undefined if it may have changed anything. */
export type Left = readonly string[] | undefined;

/** An earlier cell of the kernel. */
export interface Earlier {
  cell: CellTask;
  left: Left;
  /** For the names that it left and that hold something importable, where they come from. */
  imports: ReadonlyMap<string, string>;
  /** The names that another cell may replace without anybody noticing. */
  quiet: ReadonlySet<string>;
  /** Ids of what was bound in the kernel for it: data, and cells in other languages. */
  bound: readonly string[];
  /** Ids of the cells that it sees without depending on them. */
  undeclared: readonly string[];
}

/** The cells that come before this cell in the kernels that it uses, in order. */
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

/** A chart reads from the kernels of the cells that it depends on. */
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
  /** True if cells failed before it: nobody knows which names they set. */
  hasFailures: boolean;
}

export interface Undeclared {
  /** Ids of the cells that a cell sees without depending on them. */
  seen: string[];
  /** The names that it assigns in blocks, and whose earlier values it certainly does not read. */
  replaced: string[];
}

/** Seeing one cell extends to the names that its text mentions. */
export function undeclaredOf(
  cell: CellTask,
  earlier: readonly Earlier[],
  { cells, undeclaredBy, hasFailures }: Surroundings,
): Undeclared {
  const own = new Set([cell.id, ...cell.needs]);
  const open = earlier.filter((each) => !own.has(each.cell.id));
  const found = new Set(cell.needs.flatMap(undeclaredBy).filter((id) => !own.has(id)));
  if (open.length === 0) return { seen: [...found], replaced: [] };
  const text = new Mentioned(
    [...own, ...found].flatMap((id) => cells.get(id) ?? []),
    cell,
  );
  const isSeen = (id: string) => own.has(id) || found.has(id);
  const isAgain = (name: string, each: Earlier) => !hasFailures && isSameImport(name, each, earlier, isSeen);
  const isOwn = (id: string) => !hasFailures && isOwnData(id, cell, earlier, cells);
  const isStill = !hasFailures && !earlier.some(({ cell: other }) => mayNoticeEnds(other));
  const isReplaced = (name: string, each: Earlier) =>
    isStill && each.quiet.has(name) && text.isReplaced(name);
  const shows = (each: Earlier): boolean => {
    const left = each.left?.filter((name) => !isAgain(name, each) && !isReplaced(name, each));
    const bound = each.bound.filter((id) => !isOwn(id));
    return text.mayShow(left, bound) || text.mayReach(read(each.cell).mayLoad);
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
  return { seen: [...found], replaced: isStill ? text.replacedInBlocks() : [] };
}

/** True if the name held the same import before the cell imported it again, from a cell that is seen. */
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

/**
 * Data that the cell depends on is bound for it too. When that happens matters only if a cell gives its name another
 * value.
 */
function isOwnData(id: string, { needs }: CellTask, earlier: readonly Earlier[], cells: PlanCells): boolean {
  const data = cells.get(id);
  const isData = data !== undefined && traitsOf(data).isValue && needs.includes(id);
  return isData && earlier.every(({ left }) => left !== undefined && !left.includes(id));
}

/**
 * The words of some cells, which are the names that they may use. Words in quotes and comments count, because a name
 * may be looked up by its text.
 */
export class Mentioned {
  readonly #words = new Set<string>();
  /** Modules that a cell loads before anything else, and all that one of the cells may load. */
  readonly #modules = new Set<string>();
  readonly #packages = new Set<string>();
  readonly #reader: ReadonlySet<string>;
  /** Names and modules that the reader assigns or loads before it mentions them, and the words of all other cells. */
  readonly #assigned: Omit<AssignedFirst, 'rest'>;
  readonly #others = new Set<string>();
  #isOpen = false;

  /** `reader`: the cell that may see something. A name that it imports first does not come from another cell. */
  constructor(cells: Iterable<CellTask>, reader?: CellTask) {
    this.#reader = reader ? importsOf(reader).bound : new Set();
    this.#assigned = reader ? read(reader).assigned : NOTHING;
    for (const cell of cells) this.add(cell, cell === reader);
  }

  add(cell: CellTask, isReader = false): void {
    if (traitsOf(cell).isValue) return;
    for (const word of wordsOf(cell)) this.#words.add(word);
    if (!isReader) for (const word of wordsOf(cell)) this.#others.add(word);
    for (const module of importsOf(cell).modules) this.#modules.add(module);
    for (const module of read(cell).mayLoad) this.#packages.add(module);
    this.#isOpen ||= WHOLE_WOOF.test(cell.body) || OPENING.some((word) => this.#words.has(word));
  }

  /** True if what a cell left, or what was bound for it, may be visible. */
  mayShow(left: Left, bound: readonly string[] = []): boolean {
    if (left === undefined) return true;
    const names = [...left, ...bound];
    if (this.#isOpen) return names.length > 0;
    return names.some((name) => !this.#reader.has(name) && this.#has(name));
  }

  /** Whether nobody can read what the name held before the reading cell. */
  isReplaced(name: string): boolean {
    return !this.#isOpen && this.#assigned.names.has(name) && !this.#others.has(name);
  }

  replacedInBlocks(): string[] {
    return [...this.#assigned.inBlocks].filter((name) => this.isReplaced(name));
  }

  /**
   * True if loading these modules may be visible: a submodule is an attribute of its package for everyone who has the
   * package.
   */
  mayReach(modules: readonly string[]): boolean {
    return modules.some((module) => !this.#loadsFirst(module) && this.#reaches(module));
  }

  #loadsFirst(module: string): boolean {
    const isLater = this.#assigned.modules.has(module) && !this.#others.has(lastOf(module));
    return this.#modules.has(module) || isLater;
  }

  #reaches(module: string): boolean {
    const at = module.lastIndexOf('.');
    const outer = module.slice(0, Math.max(at, 0));
    const hasPackage = this.#packages.has(outer) || wordsIn(outer).every((word) => this.#words.has(word));
    return at > 0 && hasPackage && this.#words.has(lastOf(module));
  }

  /** A name that is not a word itself may be composed of words. */
  #has(name: string): boolean {
    return this.#words.has(name) || wordsIn(name).every((word) => this.#words.has(word));
  }
}

/** Python words that give access to names that the text does not show. */
const OPENING =
  `globals locals vars dir eval exec compile modules inspect gc unittest doctest dill currentframe _getframe get_ipython
   import_module __import__ __main__ __dict__ __globals__ __builtins__`.split(/\s+/);

/** Python words with which a cell may notice the end of a value. */
const NOTICING = '__del__ yield async asyncio weakref finalize'.split(' ');

const mayNoticeEnds = (cell: CellTask) => NOTICING.some((word) => wordsOf(cell).includes(word));

/** Everything that is bound, rather than one entry of it. */
const WHOLE_WOOF = /\bwoof\b(?!\s*[.[])/;

const NOTHING = { names: new Set<string>(), inBlocks: new Set<string>(), modules: new Set<string>() };

interface Read {
  imports: LeadingImports;
  words: readonly string[];
  assigned: Omit<AssignedFirst, 'rest'>;
  /** The modules that it loads, or may load. */
  mayLoad: readonly string[];
}

/** The languages whose code can be read that closely. */
const READERS: ReadonlyMap<string, (body: string) => Read> = new Map([['python', readPython]]);

const known = new WeakMap<CellTask, Read>();

const importsOf = (cell: CellTask) => read(cell).imports;
const wordsOf = (cell: CellTask) => read(cell).words;

function read(cell: CellTask): Read {
  let found = known.get(cell);
  if (found === undefined) {
    const reader = traitsOf(cell).isCode ? READERS.get(cell.language) : undefined;
    found = (reader ?? readAny)(cell.body);
    known.set(cell, found);
  }
  return found;
}

function readPython(body: string): Read {
  const imports = leadingImports(body);
  const assigned = assignedFirst(imports.rest, wordsIn);
  const mayLoad = [...imports.modules, ...modulesIn(imports.rest)];
  return { imports, words: wordsIn(assigned.rest), assigned, mayLoad };
}

function readAny(body: string): Read {
  const imports = { bound: new Set<string>(), modules: [], rest: body };
  return { imports, words: wordsIn(body), assigned: NOTHING, mayLoad: [] };
}

/**
 * Python treats some names that look different as the same. Unicode classes cost a millisecond, so plain text avoids
 * them.
 */
function wordsIn(text: string): string[] {
  const isPlain = !/[^\0-\x7f]/.test(text);
  const words = isPlain
    ? text.match(/[A-Za-z_]\w*/g)
    : text.normalize('NFKC').match(/[\p{L}_][\p{L}\p{M}\p{N}_]*/gu);
  return [...new Set(words)];
}
