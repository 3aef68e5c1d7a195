/**
 * Kernels that have what a cell depends on: started when a cell first needs one, then given what they lack.
 *
 * Owns: what a kernel must receive before a cell may run in it, and in which order.
 * Does not own: running the cell itself and storing its results (the cell runner); what a cell sees (`seen-cells.ts`).
 * Invariant: a cell sees the same state whether its ancestors ran, were restored, or ran again after a crash.
 */
import type { Kernel, KernelSpec } from '@woof/kernels';
import { type CellTask, type Json, traitsOf } from '@woof/net';
import { type CacheEntry, type CellCache, hasEffects, keyOf } from './cell-cache.ts';
import { type CellCall, type KernelSetting, kernelSpec, type RunSetting, runOf } from './cell-call.ts';
import { inCellFolder } from './cell-folder.ts';
import type { CellKeys, KeyContext } from './cell-keys.ts';
import { cellsOf, type PlanCells } from './plan-cells.ts';
import { earlierInKernel } from './seen-cells.ts';
import { type Session, Sessions } from './sessions.ts';
import { ValueExchange } from './value-exchange.ts';

export interface KernelOptions extends KernelSetting {
  startKernel: (spec: KernelSpec) => Promise<Kernel>;
}

export class PreparedKernels {
  readonly values: ValueExchange;
  private readonly sessions: Sessions;

  constructor(
    private readonly options: KernelOptions,
    private readonly cache: CellCache,
    private readonly keys: CellKeys,
  ) {
    this.sessions = new Sessions(options.startKernel);
    this.values = new ValueExchange(cache, (call, use) => this.afterCell(call, use));
  }

  /** The session in which a cell runs. */
  sessionOf({ execution_id }: RunSetting, { isolated, session, id }: CellTask): Session {
    return this.sessions.of(execution_id, isolated ? `${session} ${id}` : session);
  }

  /** Starts the kernel of a cell that will need it soon. */
  startAhead(cell: CellTask, assignment: RunSetting): void {
    this.sessionOf(assignment, cell).startAhead(kernelSpec({ cell, assignment }, this.options));
  }

  /** A kernel that has everything the cell may see, or why there is none. */
  async prepare(call: CellCall): Promise<Kernel | Error> {
    try {
      const session = this.sessionOf(call.assignment, call.cell);
      const kernel = await this.bring(call, session, await this.seenBy(call));
      await this.supply(call, kernel, session);
      return kernel;
    } catch (error) {
      return error as Error;
    }
  }

  /**
   * Reads from the kernels of the cells that this cell depends on, the latest first. Bash has no tables, and isolated
   * kernels are gone.
   */
  async readVariable(call: CellCall, name: string): Promise<Json | undefined> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    const ancestors = cell.needs.flatMap((id) => cells.get(id) ?? []);
    const shared = ancestors.filter((other) => traitsOf(other).choosesLanguage && !other.isolated);
    const seen = await this.seenBy(call);
    for (const session of new Set(shared.toReversed().map((ancestor) => ancestor.session))) {
      const reader = shared.findLast((ancestor) => ancestor.session === session)!;
      const kernel = await this.bring(
        { ...call, cell: reader },
        this.sessionOf(assignment, reader),
        seen.filter((other) => other.session === session),
      );
      const value = await kernel.read(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async end(executionId: string): Promise<void> {
    this.values.forget(executionId);
    await this.sessions.end(executionId);
  }

  close(): Promise<void> {
    return this.sessions.close();
  }

  /** What a key depends on, for a running execution. */
  contextOf({ plan, granted, world, execution_id: id }: RunSetting): KeyContext {
    const traces = this.keys.tracesOf(id);
    return {
      plan,
      granted,
      parameters: world.workload,
      traces,
      ranWell: (cell) => world.steps.get(cell)?.result !== undefined,
      remains: (name) => {
        const session = this.sessions.of(id, name);
        const isThere = (cell: string) => session.alive && session.applied.has(cell);
        return [...traces.remains].filter(([cell]) => isThere(cell)).map(([, left]) => left);
      },
      unknown: undefined,
    };
  }

  /**
   * What the kernel must have before the cell may use it, in order. For a cell without a cache: what it depends on. A
   * kernel with effects has everything that came before, because it cannot start over when something turns out to be
   * missing.
   */
  private async seenBy({ cell, assignment }: CellCall): Promise<CellTask[]> {
    const cells = cellsOf(assignment.plan);
    const context = this.contextOf(assignment);
    const undeclared = cell.cache ? await this.keys.undeclaredBy(cell, context) : [];
    const seen = new Set([...cell.needs, ...undeclared]);
    const isWhole = withEffects(cells);
    const isThere = ({ id, session, cache }: CellTask) =>
      seen.has(id) ||
      context.traces.remains.has(id) ||
      (cache && isWhole.has(session) && context.ranWell(id));
    return earlierInKernel(cell, cells).filter(isThere);
  }

  /** The session's kernel, after it has received these cells, in order. */
  private async bring(call: CellCall, session: Session, others: readonly CellTask[]): Promise<Kernel> {
    const spec = kernelSpec(call, this.options);
    await session.open(spec);
    const cells = cellsOf(call.assignment.plan);
    if (comesTooLate(others, session.applied, cells) && !withEffects(cells).has(call.cell.session)) {
      await session.close();
      await session.open(spec);
    }
    for (const other of others) await this.apply({ ...call, cell: other }, session, call.cell);
    return session.open(spec);
  }

  /**
   * Gives the kernel what an earlier cell left: from the cache, or by running it again without its outputs, with the
   * permissions of that cell.
   */
  private async apply(call: CellCall, session: Session, reader: CellTask): Promise<void> {
    const { cell, assignment } = call;
    if (session.applied.has(cell.id)) return;
    const isDeclared = reader.id === cell.id || reader.needs.includes(cell.id);
    const context = this.contextOf(assignment);
    const isWhole = cell.cache && !context.traces.remains.has(cell.id);
    const parts = isWhole ? await this.keys.partsOf(cell, context) : undefined;
    const entry = parts && this.cache.get(keyOf(parts));
    // Effects are repeated only for a cell that declares its dependency on them.
    if (entry?.symbols === undefined && hasEffects(cell) && !isDeclared) return;
    const kernel = await session.open(kernelSpec(call, this.options));
    await this.supply(call, kernel, session);
    if (!(await restored(kernel, entry))) await this.runAgain(call, kernel, isDeclared);
    session.applied.add(cell.id);
  }

  /** Binds what the cell itself asks for: data, and values from other languages. */
  private async supply(call: CellCall, kernel: Kernel, session: Session): Promise<void> {
    await bindData(call, kernel, session);
    await this.values.give(call, kernel);
  }

  /** Lends a kernel in the state in which the cell left it. The kernel of an isolated cell ends with the loan. */
  private async afterCell<Result>(call: CellCall, use: (kernel: Kernel) => Promise<Result>): Promise<Result> {
    const { cell, assignment } = call;
    const session = this.sessionOf(assignment, cell);
    if (!cell.isolated) return use(await this.bring(call, session, [...(await this.seenBy(call)), cell]));
    try {
      const kernel = await this.bring(call, session, []);
      await this.supply(call, kernel, session);
      await this.runAgain(call, kernel, true);
      return await use(kernel);
    } finally {
      await session.close();
    }
  }

  /** The names whose earlier values the cell does not read, once its key is known. */
  replacedBy({ cell, assignment }: CellCall): readonly string[] {
    return this.keys.tracesOf(assignment.execution_id).replaced.get(cell.id) ?? [];
  }

  private async runAgain(call: CellCall, kernel: Kernel, isNeeded: boolean): Promise<void> {
    const silent = { output: () => {} };
    const run = runOf(call, this.replacedBy(call));
    const end = await inCellFolder(call, kernel, () => kernel.run(run, silent));
    if (end.status === 'ok') return;
    if (isNeeded || !kernel.alive)
      throw new Error(
        `cell "${call.cell.id}" had to run again and failed: ${end.error?.ename}: ${end.error?.evalue}`,
      );
    const { remains } = this.keys.tracesOf(call.assignment.execution_id);
    if (!remains.has(call.cell.id)) remains.set(call.cell.id, undefined);
  }
}

/** A cell that cannot be restored runs again: the names that it sets are the same. */
async function restored(kernel: Kernel, entry: CacheEntry | undefined): Promise<boolean> {
  if (entry?.symbols === undefined) return false;
  try {
    await kernel.restore(Buffer.from(entry.symbols, 'base64'));
    return true;
  } catch {
    return false;
  }
}

/** Binds the data that the cell depends on, unless the kernel already has it. */
async function bindData({ cell, assignment }: CellCall, kernel: Kernel, session: Session): Promise<void> {
  const cells = cellsOf(assignment.plan);
  for (const data of cell.needs.flatMap((id) => cells.get(id) ?? [])) {
    if (!traitsOf(data).isValue || session.bound.has(data.id)) continue;
    await kernel.bind(data.id, data.value ?? null);
    session.bound.add(data.id);
  }
}

/** The sessions of cells with effects. */
function withEffects(cells: PlanCells): Set<string> {
  return new Set([...cells.values()].filter(hasEffects).map(({ session }) => session));
}

/** True if the kernel lacks one of these and already has something that comes after it. */
function comesTooLate(others: readonly CellTask[], applied: ReadonlySet<string>, cells: PlanCells): boolean {
  const missing = others.find(({ id }) => !applied.has(id));
  if (missing === undefined) return false;
  const order = [...cells.keys()];
  return order.slice(order.indexOf(missing.id)).some((id) => applied.has(id));
}
