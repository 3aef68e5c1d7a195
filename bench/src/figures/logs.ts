/** A log of a million lines: its last page, and a search of the whole log that finds nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { FileLogs, type LogQuery, type LogStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing } from '../figure.ts';

const LINES = 1_000_000;
const BATCH = 4000;
const ROUNDS = 5;
const ID = 'one';

export async function logFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-bench-logs-'));
  try {
    return [...(await measured('file', new FileLogs(folder))), ...(await postgresFigures())];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function postgresFigures(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason) return [missing('logs in Postgres', reason)];
  const server = await startPostgres();
  const { store, logs, close } = await openPostgres(server.url());
  try {
    const row = { execution_id: ID, name: ID, kind: 'playbook', plan_hash: '', started_at: 0 };
    await store.append([{ execution_id: ID, expected: 0, events: [], row: { ...row, status: 'running' } }]);
    return await measured('Postgres', logs);
  } finally {
    await close();
    await server.dispose();
  }
}

async function measured(where: string, logs: LogStore): Promise<Figure[]> {
  const started = performance.now();
  for (let first = 0; first < LINES; first += BATCH)
    await logs.append(Array.from({ length: BATCH }, (_, index) => lineOf(first + index)));
  const written = LINES / ((performance.now() - started) / 1000);
  const name = (what: string) => `log of 1,000,000 lines (${where}): ${what}`;
  const figure = async (what: string, query: LogQuery, atMost: number): Promise<Figure> => {
    const { ms } = await timed(logs, query);
    return { name: name(what), value: ms, unit: 'ms', atMost };
  };
  const none = { limit: 1000, q: 'never written' };
  const search = await timed(logs, none);
  return [
    { name: name('written'), value: written, unit: 'lines/s' },
    await figure('the last 1,000', { tail: true, limit: 1000 }, 300),
    await figure('the last 1,000 of a step', { tail: true, limit: 1000, step: 'step_3' }, 300),
    { name: name('a search that finds nothing'), value: search.ms, unit: 'ms', atMost: 1000 },
    await figure('the same, of a step', { ...none, step: 'step_3' }, 1000),
    await figure('the same, from the end', { ...none, tail: true }, 1000),
    { name: name('longest hold of the event loop'), value: search.heldMs, unit: 'ms', atMost: 20 },
  ];
}

async function timed(logs: LogStore, query: LogQuery): Promise<{ ms: number; heldMs: number }> {
  const times: number[] = [];
  const holds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const started = performance.now();
    await logs.read(ID, query);
    times.push(performance.now() - started);
    delay.disable();
    holds.push(delay.max / 1e6);
  }
  return { ms: median(times), heldMs: median(holds) };
}

function lineOf(n: number) {
  const job = `step_${n % 20}.1/${n}`;
  return {
    execution_id: ID,
    job_id: job,
    step: `step_${n % 20}`,
    // A separate task run per thousand lines, because the log kept per task run is bounded.
    task_run_id: `step_${n % 20}.1/${Math.floor(n / 1000)}/run.1`,
    at: new Date(1_763_000_000_000 + n).toISOString(),
    stream: n % 10 === 0 ? ('stderr' as const) : ('stdout' as const),
    text: `record ${n} of customer ${n % 977} took ${n % 83} ms; nothing unusual was found\n`,
  };
}
