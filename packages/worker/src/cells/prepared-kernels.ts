/**
 * Kernels that have what a cell builds on: started when a cell first needs one, and given the rest.
 *
 * Owns: what a kernel must be given before a cell may run in it, and what cells of one language give to others.
 * Does not own: running the cell itself, what is kept of it (the runner of cells).
 * Invariant: a cell sees the same state whether its ancestors ran, were restored, or ran again after a crash.
 */
import type { Kernel, KernelSpec } from '@woof/kernels';
import { asks, type CellTask, failure, type Json, namesAsked, type Outcome } from '@woof/net';
import { type CacheEntry, type CellCache, hasEffects, type KeyParts, keyOf } from './cell-cache.ts';
import { type CellCall, type KernelSetting, kernelSpec, runOf } from './cell-call.ts';
import type { CellKeys, KeyContext } from './cell-keys.ts';
import { cellsOf, type PlanCells } from './plan-cells.ts';
import { earlierInKernel } from './seen-cells.ts';
import { type Session, Sessions } from './sessions.ts';
import { partFor, type SharedValues, takeValues } from './shared-values.ts';

export interface KernelOptions extends KernelSetting {
  startKernel: (spec: KernelSpec) => Promise<Kernel>;
}

export class PreparedKernels {
  private readonly sessions: Sessions;
  /** By execution: what cells gave to those of other languages. */
  private readonly shared = new Map<string, Map<string, SharedValues>>();

  constructor(
    private readonly options: KernelOptions,
    private readonly cache: CellCache,
    private readonly keys: CellKeys,
  ) {
    this.sessions = new Sessions(options.startKernel);
  }

  /** The session in which a cell runs. */
  sessionOf({ execution_id }: CellCall['assignment'], { isolated, session, id }: CellTask): Session {
    return this.sessions.of(execution_id, isolated ? `${session} ${id}` : session);
  }

  /** A kernel that has everything the cell may see. */
  async prepare(call: CellCall): Promise<Kernel | Outcome> {
    try {
      const session = this.sessionOf(call.assignment, call.cell);
      const kernel = await this.bring(call, session, await this.seenBy(call));
      await bindData(call, kernel, session);
      await this.give(call, kernel);
      return kernel;
    } catch (error) {
      return failure('unknown', (error as Error).message);
    }
  }

  /** From the kernels of what the cell builds on, the latest first. Bash has no tables, isolated kernels are gone. */
  async readVariable(call: CellCall, name: string): Promise<Json | undefined> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    const ancestors = cell.needs.flatMap((id) => cells.get(id) ?? []);
    const shared = ancestors.filter(
      ({ type, isolated }) => (type === 'code' || type === 'test') && !isolated,
    );
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

  /** Takes what other languages ask the cell for, right after it ran. */
  async share(call: CellCall, kernel: Kernel): Promise<SharedValues | undefined> {
    const { cell, assignment } = call;
    const names = namesAsked(cell, cellsOf(assignment.plan));
    if (names.length === 0) return undefined;
    const taken = await takeValues(kernel, cell.id, names);
    this.sharedIn(assignment.execution_id).set(cell.id, taken);
    return taken;
  }

  /** The same for a cell that came from the cache: kept with it, unless somebody asks for more by now. */
  async shareAgain(call: CellCall, parts: KeyParts, entry: CacheEntry): Promise<void> {
    const { cell, assignment } = call;
    const names = namesAsked(cell, cellsOf(assignment.plan));
    if (names.length === 0) return;
    const { shared } = entry;
    if (shared && names.every((name) => shared.names.includes(name))) {
      this.sharedIn(assignment.execution_id).set(cell.id, shared);
      return;
    }
    const taken = await this.takeLate(call, cell, names);
    await this.cache.put(keyOf(parts), { ...entry, shared: taken });
  }

  async end(executionId: string): Promise<void> {
    this.shared.delete(executionId);
    await this.sessions.end(executionId);
  }

  close(): Promise<void> {
    return this.sessions.close();
  }

  /** What a key depends on, of a run under way. */
  contextOf({ plan, granted, world, execution_id: id }: CellCall['assignment']): KeyContext {
    const traces = this.keys.tracesOf(id);
    return {
      plan,
      granted,
      parameters: world.workload,
      traces,
      ranWell: (cell) => world.steps.get(cell)?.status === 'succeeded',
      remains: (name) => {
        const session = this.sessions.of(id, name);
        const isThere = (cell: string) => session.alive && session.applied.has(cell);
        return [...traces.remains].filter(([cell]) => isThere(cell)).map(([, left]) => left);
      },
      unknown: undefined,
    };
  }

  /**
   * What the kernel must have before the cell may use it, in order. Without a cache, what it builds on. A kernel with
   * effects has everything that came before: it cannot start over when something turns out to be missing.
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

  /** The session's kernel, after it was given these, in order. */
  private async bring(call: CellCall, session: Session, others: readonly CellTask[]): Promise<Kernel> {
    const spec = kernelSpec(call, this.options);
    let kernel = await session.open(spec);
    const cells = cellsOf(call.assignment.plan);
    if (comesTooLate(others, session.applied, cells) && !withEffects(cells).has(call.cell.session)) {
      await session.close();
      kernel = await session.open(spec);
    }
    for (const other of others) await this.apply({ ...call, cell: other }, kernel, session, call.cell);
    return kernel;
  }

  /** Gives the kernel what an earlier cell left: from the cache, or by running it again without its outputs. */
  private async apply(call: CellCall, kernel: Kernel, session: Session, reader: CellTask): Promise<void> {
    const { cell, assignment } = call;
    if (session.applied.has(cell.id)) return;
    const isDeclared = reader.id === cell.id || reader.needs.includes(cell.id);
    const context = this.contextOf(assignment);
    const isWhole = cell.cache && !context.traces.remains.has(cell.id);
    const parts = isWhole ? await this.keys.partsOf(cell, context) : undefined;
    const entry = parts && this.cache.get(keyOf(parts));
    // Effects are repeated only for who says that it builds on them.
    if (entry?.symbols === undefined && hasEffects(cell) && !isDeclared) return;
    await bindData(call, kernel, session);
    await this.give(call, kernel);
    if (!(await restored(kernel, entry))) await this.runAgain(call, kernel, isDeclared);
    session.applied.add(cell.id);
  }

  private async runAgain(call: CellCall, kernel: Kernel, isNeeded: boolean): Promise<void> {
    const end = await kernel.run(runOf(call), { output: () => {} });
    if (end.status === 'ok') return;
    if (isNeeded || !kernel.alive)
      throw new Error(
        `cell "${call.cell.id}" had to run again and failed: ${end.error?.ename}: ${end.error?.evalue}`,
      );
    const { remains } = this.keys.tracesOf(call.assignment.execution_id);
    if (!remains.has(call.cell.id)) remains.set(call.cell.id, undefined);
  }

  /** From a kernel that has its state again. */
  private async takeLate(call: CellCall, giver: CellTask, names: string[]): Promise<SharedValues> {
    const { assignment } = call;
    const taking = { ...call, cell: giver };
    const session = this.sessionOf(assignment, giver);
    try {
      const seen = await this.seenBy(taking);
      const kernel = await this.bring(taking, session, giver.isolated ? [] : [...seen, giver]);
      if (giver.isolated) await this.runAlone(taking, kernel, session);
      const taken = await takeValues(kernel, giver.id, names);
      this.sharedIn(assignment.execution_id).set(giver.id, taken);
      return taken;
    } finally {
      if (giver.isolated) await session.close();
    }
  }

  private async runAlone(call: CellCall, kernel: Kernel, session: Session): Promise<void> {
    await bindData(call, kernel, session);
    await this.give(call, kernel);
    await this.runAgain(call, kernel, true);
  }

  /** Gives the kernel what the cell asks cells of other languages for. */
  private async give(call: CellCall, kernel: Kernel): Promise<void> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    for (const giver of cell.needs.flatMap((id) => cells.get(id) ?? [])) {
      if (!asks(cell, giver)) continue;
      const known = this.sharedIn(assignment.execution_id).get(giver.id);
      const shared = known ?? (await this.takeLate(call, giver, namesAsked(giver, cells)));
      if (shared.problem) throw new Error(shared.problem);
      const { values, tables } = partFor(cell, giver, shared);
      await kernel.bind(giver.id, values, tables);
    }
  }

  private sharedIn(executionId: string): Map<string, SharedValues> {
    let shared = this.shared.get(executionId);
    if (shared === undefined) {
      shared = new Map();
      this.shared.set(executionId, shared);
    }
    return shared;
  }
}

/** What cannot be restored runs again: the names it sets are the same. */
async function restored(kernel: Kernel, entry: CacheEntry | undefined): Promise<boolean> {
  if (entry?.symbols === undefined) return false;
  try {
    await kernel.restore(Buffer.from(entry.symbols, 'base64'));
    return true;
  } catch {
    return false;
  }
}

/** Data that the cell builds on, unless the kernel has it already. */
async function bindData({ cell, assignment }: CellCall, kernel: Kernel, session: Session): Promise<void> {
  const cells = cellsOf(assignment.plan);
  for (const data of cell.needs.flatMap((id) => cells.get(id) ?? [])) {
    if (data.type !== 'data' || session.bound.has(data.id)) continue;
    await kernel.bind(data.id, data.value ?? null);
    session.bound.add(data.id);
  }
}

/** The sessions of cells with effects. */
function withEffects(cells: PlanCells): Set<string> {
  return new Set([...cells.values()].filter(hasEffects).map(({ session }) => session));
}

/** Whether the kernel lacks one of these and has what comes after it. */
function comesTooLate(others: readonly CellTask[], applied: ReadonlySet<string>, cells: PlanCells): boolean {
  const missing = others.find(({ id }) => !applied.has(id));
  if (missing === undefined) return false;
  const order = [...cells.keys()];
  return order.slice(order.indexOf(missing.id)).some((id) => applied.has(id));
}
