/** A store with as many executions as a busy year makes: most succeeded, with a few of every other kind. */
import { newExecutionId } from '@woof/engine';
import { newEvent } from '@woof/net';
import { type Append, type ExecutionRow, inputsOf, type SharedStore } from '@woof/stores';

export const EXECUTIONS = Number(process.env.WOOF_BENCH_EXECUTIONS ?? 1_000_000);
const FIRST_START = Date.UTC(2026, 0, 1);
const GAP_MS = 10_000;
const BATCH = 2000;
/** Old, and found by only one filter. */
const RARE = 1234;

export const startOf = (index: number) => FIRST_START + index * GAP_MS;

export async function fill(store: SharedStore): Promise<void> {
  const ids: string[] = [];
  for (let from = 0; from < EXECUTIONS; from += BATCH) {
    const count = Math.min(BATCH, EXECUTIONS - from);
    await store.append(Array.from({ length: count }, (_, index) => execution(from + index, ids)));
  }
}

/** How long it takes, in ms. */
export async function index(store: SharedStore): Promise<number> {
  const started = performance.now();
  while (await store.indexLists());
  return performance.now() - started;
}

function execution(index: number, ids: string[]): Append {
  const id = newExecutionId(startOf(index));
  const parent = index % 3 === 2 ? ids[index % 3] : undefined;
  if (ids.length < 3) ids.push(id);
  const workload = { region: `r${index % 5}`, customer: index % 10_000, day: index };
  return {
    execution_id: id,
    expected: 0,
    events: [newEvent('workflow.started', startOf(index), {}, { entry: [] })],
    row: { ...rowOf(id, index), ...(parent ? { parent } : {}) },
    inputs: inputsOf(index === RARE ? { ...workload, rare: 'yes' } : workload)!,
  };
}

function rowOf(id: string, index: number): ExecutionRow {
  const name = index === RARE ? 'rare one' : `document ${index % 211}`;
  const row: ExecutionRow = {
    execution_id: id,
    name,
    kind: ['playbook', 'notebook', 'workflow'][index % 3]!,
    status: 'succeeded',
    started_at: startOf(index),
    plan_hash: `hash-${index % 211}`,
    file: `${name.replaceAll(' ', '-')}.yaml`,
    path: `team-${index % 13}/document-${index % 211}`,
    ended_at: startOf(index) + (index % 600) * 1000,
    driver: 'server-1',
  };
  if (index % 50 === 7) Object.assign(row, { status: 'failed', error: errorOf(index) });
  if (index % 9973 === 5) {
    delete row.ended_at;
    row.status = 'paused';
  }
  return row;
}

function errorOf(index: number): string {
  const needle = index === 50_007 || index === 507 ? ' a needle in the hay' : '';
  return `HTTP ${400 + (index % 100)} from https://service-${index % 17}.example/items/${index}${needle}`;
}
