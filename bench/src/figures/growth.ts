/**
 * What changes with the number of executions in a store: calls to a server, the search for due executions, and the size
 * of the database. Every execution is the log of a real one with two steps. Also measures the memory that a server
 * needs per execution. WOOF_BENCH_GROWTH=1000,10000 selects other sizes.
 */
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from '@woof/client';
import { type SharedStore, SqliteStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import type Postgres from 'postgres';
import { type Figure, median, missing } from '../figure.ts';
import { index } from '../filled-store.ts';
import { heapWithoutGarbage, SNAPSHOTS } from '../heap.ts';
import { chain, eventsOf, type Machines, pause, withMachines } from '../machines.ts';
import { fillWithCopies } from '../real-executions.ts';

const SIZES = (process.env.WOOF_BENCH_GROWTH ?? '1000,10000,100000,1000000').split(',').map(Number);
const ROUNDS = 50;
const RUNNING = 5000;
const MOST_MS = 50;
const DOCUMENTS = {
  two: chain('two', 2),
  parked: chain('parked', 1, '{kind: wait, seconds: 86400}'),
};

interface Filled {
  ids: string[];
  events: number;
  dueMs: number;
}

export async function growthFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of SIZES) figures.push(...(await onSqlite(size)), ...(await onPostgres(size)));
  return [...figures, ...(await memory())];
}

function onSqlite(size: number): Promise<Figure[]> {
  let filled: Filled | undefined;
  let bytes = 0;
  const prepare = async (data: string) => {
    const store = new SqliteStore(join(data, 'woof.db'));
    filled = await fill(store, size);
    await store.close();
    for (const name of readdirSync(data))
      if (name.startsWith('woof.db')) bytes += statSync(join(data, name)).size;
  };
  return withMachines({ workers: 0, documents: DOCUMENTS, prepare }, ({ client }) =>
    measure(`SQLite, ${show(size)}`, client, filled!, bytes),
  );
}

async function onPostgres(size: number): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing(`Postgres, ${show(size)}`, reason)];
  const postgres = await startPostgres();
  const sql = (createRequire(import.meta.url)('postgres') as typeof Postgres)(postgres.url(), { max: 1 });
  try {
    const { store, close } = await openPostgres(postgres.url());
    const empty = await databaseSize(sql);
    const filled = await fill(store, size);
    await close();
    const bytes = (await databaseSize(sql)) - empty;
    const options = { workers: 0, documents: DOCUMENTS, store: postgres.url() };
    return await withMachines(options, async ({ client }) => {
      const figures = await measure(`Postgres, ${show(size)}`, client, filled, bytes);
      const [used] = await sql`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'woof'`;
      return [
        ...figures,
        { name: `Postgres, ${show(size)}: connections`, value: Number(used!.count), unit: '', atMost: 20 },
      ];
    });
  } finally {
    await sql.end();
    await postgres.dispose();
  }
}

async function databaseSize(sql: Postgres.Sql): Promise<number> {
  const [database] = await sql`SELECT pg_database_size(current_database()) AS bytes`;
  return Number(database!.bytes);
}

async function fill(store: SharedStore, size: number): Promise<Filled> {
  const copies = await fillWithCopies(store, size);
  await index(store);
  const times = await repeated(() => store.takeDue('nobody', 100));
  return { ...copies, dueMs: median(times) };
}

async function measure(where: string, client: Client, filled: Filled, bytes: number): Promise<Figure[]> {
  const { ids, events, dueMs } = filled;
  const parked = await Promise.all(Array.from({ length: ROUNDS }, () => start(client, 'parked')));
  await pause(1000);
  const anyOf = (round: number) => ids[(round * 7919) % ids.length]!;
  const list = await repeated(() => client.call('executions.list', {}));
  const shown = await repeated((round) => client.call('executions.get', { params: { id: anyOf(round) } }));
  await repeated((round) => client.call('executions.pause', { params: { id: parked[round]! } }));
  const resumed = await repeated((round) =>
    client.call('executions.resume', { params: { id: parked[round]! } }),
  );
  const run = await repeated(async () => eventsOf(client, await start(client, 'two')));
  const ms = { unit: 'ms', atMost: MOST_MS };
  return [
    { name: `${where}: list`, value: median(list), ...ms },
    { name: `${where}: show`, value: median(shown), ...ms },
    { name: `${where}: resume`, value: median(resumed), ...ms },
    { name: `${where}: find what is due`, value: dueMs, ...ms },
    { name: `${where}: submit to end of two steps`, value: median(run), unit: 'ms' },
    { name: `${where}: size per execution`, value: bytes / ids.length, unit: 'bytes' },
    { name: `${where}: size per event`, value: bytes / events, unit: 'bytes' },
  ];
}

/** Running executions wait for a worker; parked ones have left memory. */
async function memory(): Promise<Figure[]> {
  const running = await eachCosts('two', { workers: 0, alone: true });
  const parked = await eachCosts('parked', { workers: 0 });
  return [
    { name: 'memory per running execution', value: running, unit: 'bytes' },
    { name: 'memory per parked execution', value: parked, unit: 'bytes', atMost: 2048 },
  ];
}

function eachCosts(path: string, place: { workers: number; alone?: boolean }): Promise<number> {
  const options = { ...place, documents: DOCUMENTS, nodeOptions: SNAPSHOTS };
  return withMachines(options, async (machines: Machines) => {
    await start(machines.client, path);
    const before = await heapWithoutGarbage(machines);
    for (let made = 0; made < RUNNING; made += 50)
      await Promise.all(Array.from({ length: 50 }, () => start(machines.client, path)));
    await pause(2000);
    return ((await heapWithoutGarbage(machines)) - before) / RUNNING;
  });
}

async function start(client: Client, path: string): Promise<string> {
  return (await client.call('executions.start', { body: { path } })).execution_id;
}

async function repeated(call: (round: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await call(round);
    times.push(performance.now() - started);
  }
  return times;
}

const show = (size: number) => size.toLocaleString('en');
