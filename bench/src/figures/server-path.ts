/**
 * What a server does with many executions, over HTTP: the chains of 50 clients until the last one has ended, one long
 * chain, submissions that nobody performs, and two servers with four workers beside one server with the same workers.
 */
import type { Client } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing, percentile, perSecond } from '../figure.ts';
import { chain, eventsOf, type MachinesOptions, pause, withMachines } from '../machines.ts';

const CLIENTS = 50;
const EXECUTIONS = 1000;
const STEPS = 10;
const LONG = 1000;
const SUBMISSIONS = 5000;
const ROUNDS = 3;
const WARM_UP = 200;
/**
 * For each server, before several are compared. V8 optimises a server's code during the first thousands of executions.
 * Each of two servers gets half of them: without this, the figure compares how far their code is optimised.
 */
const LONG_WARM_UP = 4000;
const DOCUMENTS = { chain: chain('chain', STEPS), long: chain('long', LONG) };

type Place = Omit<MachinesOptions, 'documents'>;

export async function serverPathFigures(): Promise<Figure[]> {
  return [
    ...(await longChain()),
    ...(await manyOnSqlite()),
    ...(await submissions()),
    ...(await onPostgres()),
  ];
}

async function longChain(): Promise<Figure[]> {
  const rates = await withMachines({ workers: 0, documents: DOCUMENTS }, async ({ client }) => {
    await chainRate(client);
    return [await chainRate(client), await chainRate(client), await chainRate(client)];
  });
  const value = median(rates);
  return [
    { name: 'chain of 1,000 noop steps at a server', value, unit: 'steps/s', atLeast: 1500, aim: 3000 },
  ];
}

async function chainRate(client: Client): Promise<number> {
  const started = performance.now();
  const { execution_id } = await client.call('executions.start', { body: { path: 'long' } });
  const last = (await eventsOf(client, execution_id)).at(-1);
  if (last?.data.status !== 'succeeded') throw new Error(`${execution_id} did not succeed`);
  return perSecond(LONG, started);
}

async function manyOnSqlite(): Promise<Figure[]> {
  const value = await manyRate({ workers: 0 });
  return [
    { name: '1,000 × 10 noop, 50 clients, SQLite', value, unit: 'steps/s', atLeast: 7000, aim: 15_000 },
  ];
}

async function submissions(): Promise<Figure[]> {
  return withMachines({ workers: 0, alone: true, documents: DOCUMENTS }, async ({ client }) => {
    await submit([client], 500);
    const started = performance.now();
    const times = await submit([client], SUBMISSIONS);
    const value = perSecond(SUBMISSIONS, started);
    return [
      { name: 'submissions alone, 50 clients', value, unit: '/s', atLeast: 2500, aim: 5000 },
      { name: 'submissions alone, p99', value: percentile(times, 0.99), unit: 'ms', atMost: 50 },
    ];
  });
}

async function onPostgres(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing('the same on Postgres', reason)];
  const apart = await withStore((store) => manyRate({ store, workers: 1 }));
  const half = await withStore((store) => manyRate({ store, workers: 2 }, LONG_WARM_UP));
  const one = await withStore((store) => manyRate({ store, workers: 4 }, LONG_WARM_UP));
  const two = await withStore((store) => manyRate({ store, workers: 4, servers: 2 }, 2 * LONG_WARM_UP));
  const rates = [two, one, half].map(Math.round);
  const note = `${rates[0]} steps/s; one server with these workers ${rates[1]}, with two of them ${rates[2]}`;
  return [
    { name: 'the same, Postgres, worker apart', value: apart, unit: 'steps/s', atLeast: 4700, aim: 10_000 },
    { name: 'two servers, four workers', value: two / one, unit: '× one', atLeast: 1, aim: 1.5, note },
  ];
}

async function withStore<T>(use: (store: string) => Promise<T>): Promise<T> {
  const postgres = await startPostgres();
  try {
    return await use(postgres.url());
  } finally {
    await postgres.dispose();
  }
}

function manyRate(place: Place, warmUp = WARM_UP): Promise<number> {
  return withMachines({ slots: 256, ...place, documents: DOCUMENTS }, async ({ clients }) => {
    await submitToLastEnd(clients, warmUp);
    const rates: number[] = [];
    while (rates.length < ROUNDS) {
      const started = performance.now();
      await submitToLastEnd(clients, EXECUTIONS);
      rates.push(perSecond(EXECUTIONS * STEPS, started));
    }
    return median(rates);
  });
}

async function submitToLastEnd(clients: Client[], count: number): Promise<void> {
  await submit(clients, count);
  const query = { status: 'running', limit: 1 } as const;
  while ((await clients[0]!.call('executions.list', { query })).executions.length > 0) await pause(10);
}

/** How long each submission took, in ms. */
async function submit(clients: Client[], count: number): Promise<number[]> {
  const times: number[] = [];
  let left = count;
  const submitter = async (_: unknown, index: number) => {
    const client = clients[index % clients.length]!;
    while (left-- > 0) {
      const started = performance.now();
      await client.call('executions.start', { body: { path: 'chain' } });
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, submitter));
  return times;
}
