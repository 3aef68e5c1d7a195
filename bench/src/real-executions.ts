/** Fills a store with copies of one real execution, each with its own id and times. */
import { newExecutionId } from '@woof/engine';
import type { Event, Plan } from '@woof/net';
import { type Append, type ExecutionRow, inputsOf, type SharedStore } from '@woof/stores';
import { openBenchEngine } from './bench-engine.ts';
import { chain } from './bench-plan.ts';

const FIRST_START = Date.UTC(2026, 0, 1);
const GAP_MS = 10_000;
const BATCH = 1000;

interface Original {
  row: ExecutionRow;
  events: Event[];
  plan: Plan;
}

export async function fillWithCopies(
  store: SharedStore,
  count: number,
): Promise<{ ids: string[]; events: number }> {
  const original = await runOne();
  const ids: string[] = [];
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => copy(original, from + at));
    ids.push(...batch.map(({ execution_id }) => execution_id));
    await store.append(batch);
  }
  return { ids, events: count * original.events.length };
}

async function runOne(): Promise<Original> {
  const bench = openBenchEngine();
  const id = await bench.start(chain(2));
  await bench.engine.finished(id);
  const events: Event[] = [];
  for await (const frame of bench.store.read(id)) events.push(...frame.events);
  const row = (await bench.store.execution(id))!;
  const plan = (await bench.store.plan(row.plan_hash))!;
  await bench.close();
  return { row, events, plan };
}

function copy({ row, events, plan }: Original, index: number): Append {
  const started_at = FIRST_START + index * GAP_MS;
  const execution_id = newExecutionId(started_at);
  return {
    execution_id,
    expected: 0,
    events,
    row: { ...row, execution_id, started_at, ended_at: started_at + 1000, driver: 'server-1' },
    inputs: inputsOf({ region: `r${index % 5}`, customer: index % 10_000 })!,
    plan: { hash: row.plan_hash, plan },
  };
}
