/**
 * Kernels that have what a cell builds on: started when a cell first needs one, and given the rest.
 *
 * Owns: what a kernel must be given before a cell may run in it, and what cells of one language give to others.
 * Does not own: running the cell itself, what is kept of it (the runner of cells).
 * Invariant: a cell sees the same state whether its ancestors ran, were restored, or ran again after a crash.
 */
import type { Kernel, KernelSpec } from '@woof/kernels';
import { asks, type CellTask, failure, type Json, namesAsked, type Outcome } from '@woof/net';
import { type CacheEntry, type CellCache, type KeyParts, keyOf } from './cell-cache.ts';
import { type CellCall, type KernelSetting, kernelSpec, runOf } from './cell-call.ts';
import type { CellKeys } from './cell-keys.ts';
import { cellsOf } from './plan-cells.ts';
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

  /** A kernel that has everything the cell builds on. */
  async prepare(call: CellCall, session: Session): Promise<Kernel | Outcome> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    try {
      const kernel = await session.open(kernelSpec(call, this.options));
      for (const id of cell.needs) {
        const ancestor = cells.get(id);
        if (ancestor === undefined) continue;
        if (ancestor.type === 'data') await bind(kernel, session, ancestor);
        else if (!cell.isolated && ancestor.session === cell.session)
          await this.apply(call, kernel, session, ancestor);
      }
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
    for (const session of new Set(shared.toReversed().map((ancestor) => ancestor.session))) {
      const own = shared.filter((ancestor) => ancestor.session === session);
      // Only what these have seen themselves: a chart changes nothing for the cells after it.
      const seen = new Set(own.flatMap(({ id, needs }) => [...needs, id]));
      const reader = { ...own.at(-1)!, needs: cell.needs.filter((id) => seen.has(id)) };
      const kernel = await this.open({ ...call, cell: reader });
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

  private async open(call: CellCall): Promise<Kernel> {
    const kernel = await this.prepare(call, this.sessionOf(call.assignment, call.cell));
    if (!('run' in kernel)) throw new Error(kernel.error?.message ?? 'the kernel cannot be read');
    return kernel;
  }

  /** Gives the kernel what an earlier cell left: from the cache, or by running it again without its outputs. */
  private async apply(call: CellCall, kernel: Kernel, session: Session, ancestor: CellTask): Promise<void> {
    if (session.applied.has(ancestor.id) || ancestor.isolated) return;
    const parts = await this.keys.partsOf(ancestor, call.assignment);
    const entry = parts && this.cache.get(keyOf(parts));
    if (!(await restored(kernel, entry))) {
      const again = { ...call, cell: ancestor };
      await this.give(again, kernel);
      await runAgain(again, kernel);
    }
    session.applied.add(ancestor.id);
  }

  /** From a kernel that has its state again. */
  private async takeLate(call: CellCall, giver: CellTask, names: string[]): Promise<SharedValues> {
    const { assignment } = call;
    const reader = giver.isolated ? giver : { ...giver, needs: [...giver.needs, giver.id] };
    try {
      const kernel = await this.open({ ...call, cell: reader });
      if (giver.isolated) await runAgain({ ...call, cell: giver }, kernel);
      const taken = await takeValues(kernel, giver.id, names);
      this.sharedIn(assignment.execution_id).set(giver.id, taken);
      return taken;
    } finally {
      if (giver.isolated) await this.sessionOf(assignment, giver).close();
    }
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

async function runAgain(call: CellCall, kernel: Kernel): Promise<void> {
  const end = await kernel.run(runOf(call), { output: () => {} });
  if (end.status === 'ok') return;
  throw new Error(
    `cell "${call.cell.id}" had to run again and failed: ${end.error?.ename}: ${end.error?.evalue}`,
  );
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

async function bind(kernel: Kernel, session: Session, data: CellTask): Promise<void> {
  if (session.bound.has(data.id)) return;
  await kernel.bind(data.id, data.value ?? null);
  session.bound.add(data.id);
}
