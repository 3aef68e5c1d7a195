/**
 * The keys of cells in the cache, and what this process saw cells of an execution leave.
 *
 * Owns: which cells count for a key. Does not own: how a key is made of them (`keyParts`), what lies under it.
 */
import type { Assignment, CellTask, JsonObject } from '@woof/net';
import { digest, type KeyParts, keyParts } from './cell-cache.ts';
import type { FilledChart } from './chart-cell.ts';
import { cellsOf } from './plan-cells.ts';

/** What the cache key holds of the machine: versions of drivers and interpreters. */
export type Runtime = (cell: Pick<CellTask, 'language' | 'kernel' | 'env'>) => Promise<string>;

/** What of an assignment a key depends on. */
export type KeyContext = Pick<Assignment, 'plan' | 'source' | 'granted' | 'execution_id'> & {
  world: { workload: JsonObject };
};

export class CellKeys {
  /** By execution: what cells with effects left. */
  private readonly observed = new Map<string, Map<string, string>>();

  constructor(private readonly runtime: Runtime) {}

  /** Undefined where no key would hold everything that the cell depends on. */
  async partsOf(cell: CellTask, context: KeyContext): Promise<KeyParts | undefined> {
    const cells = cellsOf(context.plan);
    const ancestors = cell.needs.flatMap((id) => cells.get(id) ?? []);
    return keyParts(cell, {
      ancestors,
      observed: this.observed.get(context.execution_id) ?? new Map(),
      parameters: context.world.workload,
      granted: context.granted,
      runtime: await this.runtimeOf(cell, ancestors),
    });
  }

  /** Where effects came before, their bodies do not tell what a chart shows; the data itself does. */
  async partsOfData(cell: CellTask, { spec }: FilledChart): Promise<KeyParts> {
    return {
      body: digest([cell.type, cell.body]),
      data: digest(spec),
      runtime: await this.runtime(cell),
    };
  }

  /** What a cell with effects left this time. */
  observe(executionId: string, cellId: string, left: string): void {
    let observed = this.observed.get(executionId);
    if (observed === undefined) {
      observed = new Map();
      this.observed.set(executionId, observed);
    }
    observed.set(cellId, digest(left));
  }

  forget(executionId: string): void {
    this.observed.delete(executionId);
  }

  /** What a cell builds on may be of any language. */
  private async runtimeOf(cell: CellTask, ancestors: readonly CellTask[]): Promise<string> {
    const others = ancestors.filter(({ type }) => type !== 'data');
    const bySession = new Map([cell, ...others].map((one) => [one.session, one]));
    return (await Promise.all([...bySession.values()].map(this.runtime))).join(', ');
  }
}
