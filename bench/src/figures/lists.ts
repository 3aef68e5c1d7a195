/**
 * Lists and counts on a server with a million executions, over HTTP and in Studio. Each filter is requested several
 * times, from the newest page and in both orders. The figure is the p95 of the slowest filter.
 */
import { join } from 'node:path';
import type { Client } from '@woof/client';
import { type SharedStore, SqliteStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing, percentile } from '../figure.ts';
import { EXECUTIONS, fill, index, startOf } from '../filled-store.ts';
import { withMachines } from '../machines.ts';
import { rowsOnScreen } from '../rows-on-screen.ts';

/** With 20, the p95 would be the slowest one. */
const ROUNDS = 100;
const MOST_MS = 50;
const HOUR = 3_600_000;

type Query = Record<string, string | number>;

function queries(): Record<string, Query> {
  const old = startOf(Math.floor(EXECUTIONS / 50));
  return {
    all: {},
    roots: { roots: 'true' },
    'status, many': { status: 'failed' },
    'status, few': { status: 'needs_human,paused' },
    'status, none': { status: 'cancelled' },
    name: { name: 'document 17' },
    'name, one old': { name: 'rare one' },
    'name, none': { name: 'nothing is called so' },
    path: { path: 'team-3/document-3' },
    'kind and status': { kind: 'notebook', status: 'failed,needs_human' },
    'kind and name that never meet': { kind: 'playbook', name: 'document 17', path: 'team-1/document-2' },
    'text in errors': { q: 'needle in the hay' },
    'text, frequent': { q: 'SERVICE-3' },
    'text, none': { q: 'no such text anywhere' },
    'text, six characters, none': { q: 'zzqqxx' },
    'text, four characters, none': { q: 'zzqq' },
    'text, three characters': { q: 'zq9' },
    'text, two characters': { q: 'zq' },
    'started in an old hour': { since: old, until: old + HOUR },
    'ended in an old hour, failed': { ended_since: old, ended_until: old + HOUR, status: 'failed' },
    'ended before everything': { ended_until: 1 },
    'one workload value': { 'workload.day': 4321 },
    'two workload values': { 'workload.region': 'r2', 'workload.customer': 17 },
    'workload value, none': { 'workload.region': 'nowhere' },
    everything: { kind: 'playbook', roots: 'true', status: 'failed', q: 'HTTP 407', 'workload.region': 'r2' },
  };
}

export async function listFigures(): Promise<Figure[]> {
  return [...(await onSqlite()), ...(await onPostgres())];
}

function onSqlite(): Promise<Figure[]> {
  let indexed = 0;
  const prepare = async (data: string) => {
    const store = new SqliteStore(join(data, 'woof.db'));
    indexed = await prepared(store);
    await store.close();
  };
  return withMachines({ workers: 0, documents: {}, prepare }, ({ client }) =>
    figures('SQLite', client, indexed),
  );
}

async function onPostgres(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing('lists, Postgres', reason)];
  const postgres = await startPostgres();
  try {
    const { store, close } = await openPostgres(postgres.url());
    const indexed = await prepared(store);
    await close();
    const options = { workers: 0, documents: {}, store: postgres.url() };
    return await withMachines(options, ({ client }) => figures('Postgres', client, indexed));
  } finally {
    await postgres.dispose();
  }
}

async function prepared(store: SharedStore): Promise<number> {
  await fill(store);
  return index(store);
}

async function figures(where: string, client: Client, indexedMs: number): Promise<Figure[]> {
  const slowest = { name: '', ms: 0, median: 0 };
  let pages = 0;
  for (const [name, query] of Object.entries(queries())) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const order = round % 2 ? 'oldest' : 'newest';
      times.push(await timed(() => client.call('executions.list', { query: { ...query, order } })));
    }
    const p95 = percentile(times, 0.95);
    if (p95 > slowest.ms) Object.assign(slowest, { name, ms: p95, median: median(times) });
    const needed = await pagesOf(client, query);
    pages = Math.max(pages, needed);
    if (process.env.WOOF_BENCH_EACH)
      console.error(
        `${where} ${name}: median ${median(times).toFixed(1)}, p95 ${p95.toFixed(1)} ms, ${needed} pages`,
      );
  }
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    counts.push(await timed(() => client.call('executions.counts')));
  const ms = { unit: 'ms', atMost: MOST_MS };
  return [
    {
      name: `${where}: slowest filter, p95`,
      value: slowest.ms,
      ...ms,
      note: `${slowest.name}; median ${slowest.median.toFixed(0)} ms`,
    },
    await rowsOnScreen(where, client, Object.values(queries())),
    { name: `${where}: counts by status, p95`, value: percentile(counts, 0.95), ...ms },
    { name: `${where}: pages until the first row or the end`, value: pages, unit: '' },
    { name: `${where}: to index an execution`, value: (indexedMs * 1000) / EXECUTIONS, unit: 'µs' },
  ];
}

/** How many pages it takes until a row appears, or until it is clear that there is none. */
async function pagesOf(client: Client, query: Query): Promise<number> {
  let before = {};
  for (let pages = 1; ; pages++) {
    const page = await client.call('executions.list', { query: { ...query, ...before } });
    if (page.executions.length > 0 || page.next === undefined) return pages;
    before = { before: page.next };
  }
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}
