/**
 * The cache keys of cells, and what this process saw the cells of an execution leave.
 *
 * Owns: which cells count for a key. Does not own: how a key is computed from them (`keyParts`), what is stored under
 * it.
 */
import type { ChangedNames } from '@woof/kernels';
import { asks, type CellTask, type JsonObject, type Plan, traitsOf } from '@woof/net';
import { type CellCache, type CellKeyParts, digest, type KeyParts, keyOf, keyParts } from './cell-cache.ts';
import type { FilledChart } from './chart-cell.ts';
import { cellsOf } from './plan-cells.ts';
import {
  type Earlier,
  earlierInKernel,
  kernelsOf,
  type Left,
  Mentioned,
  undeclaredOf,
} from './seen-cells.ts';

/** What the cache key contains besides the document: the build of Woof and its drivers, and the interpreter. */
export type Runtime = (cell: Pick<CellTask, 'language' | 'kernel' | 'env'>) => Promise<string>;

/** The part of a run that a key depends on. */
export interface KeyContext {
  plan: Plan;
  granted: JsonObject;
  parameters: JsonObject;
  traces: RunTraces;
  /** Whether an earlier cell succeeded. */
  ranWell(id: string): boolean;
  /** What failed cells left half done in the kernel of a session. */
  remains(session: string): readonly Left[];
  /** What to assume about cells that neither this process nor the cache knows. */
  unknown: Left;
}

/** What the cells of one execution left, as far as this process saw. */
export class RunTraces {
  /** For cells with effects, a digest of what they left: their bodies alone do not determine it. */
  readonly observed = new Map<string, string>();
  readonly left = new Map<string, Left>();
  /** For the imported names among those that a cell left, where they come from. */
  readonly imports = new Map<string, ReadonlyMap<string, string>>();
  /** By cell, the names that another cell may replace without anybody noticing. */
  readonly quiet = new Map<string, ReadonlySet<string>>();
  /** For failed cells, what they left half done. */
  readonly remains = new Map<string, Left>();
  /** By cell, what it sees without depending on it; settled when the cells before it have ended. */
  readonly undeclared = new Map<string, readonly string[]>();
  /** By cell, the names that it assigns in blocks, and whose earlier values it certainly does not read. */
  readonly replaced = new Map<string, readonly string[]>();
  /** Notices about interpreters that its log already contains. */
  readonly told = new Set<string>();
  /** All cells in order, and for how many of them `undeclared` is settled. */
  order: readonly CellTask[] = [];
  settled = 0;
  /** What later cells may see of a cell that succeeded. */
  readonly earlier = new Map<string, Earlier>();

  note(cell: string, { names, imports = {}, quiet = [] }: ChangedNames): void {
    this.left.set(cell, names);
    this.imports.set(cell, new Map(Object.entries(imports)));
    this.quiet.set(cell, new Set(quiet));
  }
}

export class CellKeys {
  private readonly traces = new Map<string, RunTraces>();

  constructor(
    private readonly cache: CellCache,
    private readonly runtime: Runtime,
  ) {}

  tracesOf(executionId: string): RunTraces {
    let traces = this.traces.get(executionId);
    if (traces === undefined) {
      traces = new RunTraces();
      this.traces.set(executionId, traces);
    }
    return traces;
  }

  forget(executionId: string): void {
    this.traces.delete(executionId);
  }

  /** Undefined if no key would cover everything that the cell depends on. */
  async partsOf(cell: CellTask, context: KeyContext): Promise<CellKeyParts | undefined> {
    const cells = cellsOf(context.plan);
    const tasksOf = (ids: readonly string[]) => ids.flatMap((id) => cells.get(id) ?? []);
    const declared = tasksOf(cell.needs);
    const undeclared = tasksOf(await this.undeclaredBy(cell, context));
    const seen = [...declared, ...undeclared];
    if (seesRemains(cell, seen, context)) return undefined;
    return keyParts(cell, {
      declared,
      undeclared,
      observed: context.traces.observed,
      parameters: context.parameters,
      granted: context.granted,
      runtime: await this.runtimeOf(cell, seen),
    });
  }

  /** After cells with effects, bodies do not determine what a chart shows; the data itself does. */
  async partsOfData(cell: CellTask, { spec }: FilledChart): Promise<KeyParts> {
    return {
      body: digest([cell.type, cell.body]),
      data: digest(spec),
      runtime: await this.runtime(cell),
    };
  }

  /**
   * Ids of the cells that a cell sees without depending on them. Settles them from the first cell on, because each
   * needs the answers for earlier ones.
   */
  async undeclaredBy(cell: CellTask, context: KeyContext): Promise<readonly string[]> {
    const { traces, plan } = context;
    if (traces.order.length === 0) traces.order = [...cellsOf(plan).values()];
    for (; !traces.undeclared.has(cell.id) && traces.settled < traces.order.length; traces.settled++) {
      const next = traces.order[traces.settled]!;
      traces.undeclared.set(next.id, await this.settle(next, context));
    }
    return traces.undeclared.get(cell.id) ?? [];
  }

  private async settle(cell: CellTask, context: KeyContext): Promise<string[]> {
    const cells = cellsOf(context.plan);
    const needs = new Set(cell.needs);
    const others = earlierInKernel(cell, cells).filter(({ id }) => context.ranWell(id));
    const earlier: Earlier[] = [];
    const isOpen = others.some(({ id }) => !needs.has(id));
    for (const other of isOpen ? others : []) earlier.push(await this.earlierOf(other, context));
    const { undeclared, remains } = context.traces;
    const undeclaredBy = (id: string) => undeclared.get(id) ?? [];
    const surroundings = { cells, undeclaredBy, hasFailures: remains.size > 0 };
    const { seen, replaced } = undeclaredOf(cell, earlier, surroundings);
    context.traces.replaced.set(cell.id, replaced);
    const found = new Set(seen);
    return found.size === 0 ? [] : [...cells.keys()].filter((id) => found.has(id));
  }

  private async earlierOf(cell: CellTask, context: KeyContext): Promise<Earlier> {
    const { traces, plan } = context;
    let earlier = traces.earlier.get(cell.id);
    if (earlier === undefined) {
      const cells = cellsOf(plan);
      const bound = cell.needs.filter((id) => isBoundFor(cell, cells.get(id)!));
      const undeclared = traces.undeclared.get(cell.id) ?? [];
      const left = await this.leftBy(cell, context);
      const imports = traces.imports.get(cell.id) ?? new Map();
      const quiet = traces.quiet.get(cell.id) ?? new Set();
      earlier = { cell, left, imports, quiet, bound, undeclared };
      traces.earlier.set(cell.id, earlier);
    }
    return earlier;
  }

  private async leftBy(cell: CellTask, context: KeyContext): Promise<Left> {
    const { traces, unknown } = context;
    if (!traces.left.has(cell.id)) {
      const parts = await this.partsOf(cell, context);
      const entry = parts && this.cache.get(keyOf(parts));
      traces.note(cell.id, entry ?? (unknown ? { names: [...unknown] } : {}));
    }
    return traces.left.get(cell.id);
  }

  /** The cells that a cell depends on may be in any language. */
  private async runtimeOf(cell: CellTask, seen: readonly CellTask[]): Promise<string> {
    const others = seen.filter((other) => !traitsOf(other).isValue);
    const bySession = new Map([cell, ...others].map((one) => [one.session, one]));
    return (await Promise.all([...bySession.values()].map(this.runtime))).join(', ');
  }
}

const isBoundFor = (cell: CellTask, need: CellTask) => traitsOf(need).isValue || asks(cell, need);

/** No key covers what a failed cell left half done. */
function seesRemains(cell: CellTask, seen: readonly CellTask[], { plan, remains }: KeyContext): boolean {
  const cells = cellsOf(plan);
  const sessions = new Set([cell, ...seen].flatMap((each) => [...kernelsOf(each, cells)]));
  const left = [...sessions].flatMap(remains);
  if (left.length === 0) return false;
  const text = new Mentioned([cell, ...seen]);
  return left.some((each) => text.mayShow(each));
}
