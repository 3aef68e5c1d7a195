/** The log in memory: for tests and simulations. Values cross as JSON text, as they do in every other store. */
import type { Event, Plan } from '@woof/net';
import type { Append, ExecutionFilter, ExecutionRow, Frame, Refused, Snapshot, Store } from '../store.ts';

interface Log {
  row: ExecutionRow;
  seq: number;
  frames: { from: number; length: number; events: string }[];
  snapshot?: Snapshot;
}

export class MemoryStore implements Store {
  private readonly logs = new Map<string, Log>();
  private readonly plans = new Map<string, string>();

  async append(batch: readonly Append[]): Promise<Refused[]> {
    const refused: Refused[] = [];
    for (const append of batch) {
      const { execution_id, expected } = append;
      const actual = this.logs.get(execution_id)?.seq ?? 0;
      if (actual !== expected) refused.push({ execution_id, actual });
      else this.insert(append);
    }
    return refused;
  }

  private insert({ execution_id: id, events, row, plan }: Append): void {
    if (plan) this.plans.set(plan.hash, JSON.stringify(plan.plan));
    const log = this.logs.get(id) ?? { row: row as ExecutionRow, seq: 0, frames: [] };
    this.logs.set(id, log);
    log.row = { ...log.row, ...row };
    if (events.length === 0) return;
    log.frames.push({ from: log.seq, length: events.length, events: JSON.stringify(events) });
    log.seq += events.length;
  }

  async *read(executionId: string, from = 0): AsyncIterable<Frame> {
    for (const frame of this.logs.get(executionId)?.frames ?? []) {
      if (frame.from + frame.length <= from) continue;
      yield { from: frame.from, events: JSON.parse(frame.events) as Event[] };
    }
  }

  async plan(hash: string): Promise<Plan | undefined> {
    const text = this.plans.get(hash);
    return text === undefined ? undefined : (JSON.parse(text) as Plan);
  }

  async execution(id: string): Promise<ExecutionRow | undefined> {
    return this.logs.get(id)?.row;
  }

  async executions(filter: ExecutionFilter = {}): Promise<ExecutionRow[]> {
    const rows = [...this.logs.values()].map((log) => log.row).reverse();
    const wanted = rows.filter(
      (row) =>
        (!filter.status || [filter.status].flat().includes(row.status)) && !(filter.roots && row.parent),
    );
    return wanted.slice(0, filter.limit ?? wanted.length);
  }

  async saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void> {
    const log = this.logs.get(executionId);
    if (log) log.snapshot = snapshot;
  }

  async snapshot(executionId: string): Promise<Snapshot | undefined> {
    return this.logs.get(executionId)?.snapshot;
  }

  async close(): Promise<void> {}
}
