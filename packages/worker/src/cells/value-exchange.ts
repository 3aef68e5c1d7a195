/**
 * Values that cells in one language give to cells in another while a notebook runs. They are read right after the
 * giving cell, or from a kernel whose state was restored, and kept until the execution ends.
 */
import type { Kernel } from '@woof/kernels';
import { asks, type CellTask, namesAsked } from '@woof/net';
import { type CacheEntry, type CellCache, type KeyParts, keyOf } from './cell-cache.ts';
import type { CellCall } from './cell-call.ts';
import { cellsOf } from './plan-cells.ts';
import { partFor, type SharedValues, takeValues } from './shared-values.ts';

/** Lends a kernel in the state in which the cell left it. */
export type AfterCell = <Result>(call: CellCall, use: (kernel: Kernel) => Promise<Result>) => Promise<Result>;

export class ValueExchange {
  /** By execution and cell. */
  private readonly shared = new Map<string, Map<string, SharedValues>>();

  constructor(
    private readonly cache: CellCache,
    private readonly afterCell: AfterCell,
  ) {}

  /** Reads what other languages ask the cell for, right after it ran. */
  async share(call: CellCall, kernel: Kernel): Promise<SharedValues | undefined> {
    const names = namesAsked(call.cell, cellsOf(call.assignment.plan));
    return names.length === 0 ? undefined : this.take(call, kernel, names);
  }

  /** The same for a cell that came from the cache: uses the values stored with it, unless more is asked for by now. */
  async shareAgain(call: CellCall, parts: KeyParts, entry: CacheEntry): Promise<void> {
    const { cell, assignment } = call;
    const names = namesAsked(cell, cellsOf(assignment.plan));
    if (names.length === 0) return;
    const { shared } = entry;
    if (shared && names.every((name) => shared.names.includes(name))) {
      this.sharedIn(assignment.execution_id).set(cell.id, shared);
      return;
    }
    const taken = await this.takeLate(call, names);
    await this.cache.put(keyOf(parts), { ...entry, shared: taken });
  }

  /** Gives the kernel what the cell asks of cells in other languages. */
  async give(call: CellCall, kernel: Kernel): Promise<void> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    for (const giver of cell.needs.flatMap((id) => cells.get(id) ?? [])) {
      if (!asks(cell, giver)) continue;
      const shared = await this.sharedBy(call, giver);
      if (shared.problem) throw new Error(shared.problem);
      const { values, tables } = partFor(cell, giver, shared);
      await kernel.bind(giver.id, values, tables);
    }
  }

  forget(executionId: string): void {
    this.shared.delete(executionId);
  }

  private async sharedBy(call: CellCall, giver: CellTask): Promise<SharedValues> {
    const known = this.sharedIn(call.assignment.execution_id).get(giver.id);
    const names = () => namesAsked(giver, cellsOf(call.assignment.plan));
    return known ?? this.takeLate({ ...call, cell: giver }, names());
  }

  private takeLate(call: CellCall, names: string[]): Promise<SharedValues> {
    return this.afterCell(call, (kernel) => this.take(call, kernel, names));
  }

  private async take({ cell, assignment }: CellCall, kernel: Kernel, names: string[]): Promise<SharedValues> {
    const taken = await takeValues(kernel, cell.id, names);
    this.sharedIn(assignment.execution_id).set(cell.id, taken);
    return taken;
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
