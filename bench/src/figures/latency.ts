/**
 * What one person feels at a server: from the submission of a two-step playbook until its end, both over HTTP, with nothing
 * else to do and under a steady load. A stall of any part between them (a report, a claim, a wake-up) shows in p99.
 */
import type { Client } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing, percentile } from '../figure.ts';
import { chain, eventsOf, type MachinesOptions, withMachines } from '../machines.ts';

const SAMPLES = 200;
/** Clients that run one chain after the other beside the one that is measured. */
const LOADERS = 4;
const DOCUMENTS = { two: chain('two', 2), load: chain('load', 10) };

/** In ms. About ten times what two idle cores take: a busy machine stays within them, a lease that has to expire does not. */
interface Limits {
  idle: [p50: number, p99: number];
  load: [p50: number, p99: number];
}

const NEAR: Limits = { idle: [60, 150], load: [125, 300] };
const FAR: Limits = { idle: [100, 300], load: [200, 500] };

export async function latencyFigures(): Promise<Figure[]> {
  return [
    ...(await measure('near', { workers: 0 }, NEAR)),
    ...(await measure('far', { workers: 1 }, FAR)),
    ...(await onPostgres()),
  ];
}

async function onPostgres(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing('submit to end, far, Postgres', reason)];
  const postgres = await startPostgres();
  try {
    return await measure('far, Postgres', { workers: 1, store: postgres.url() }, FAR);
  } finally {
    await postgres.dispose();
  }
}

function measure(
  place: string,
  options: Omit<MachinesOptions, 'documents'>,
  limits: Limits,
): Promise<Figure[]> {
  return withMachines({ ...options, documents: DOCUMENTS }, async ({ client }) => {
    for (let warmUp = 0; warmUp < 50; warmUp++) await submitToEnd(client, 'two');
    const idle = await samples(client);
    const load = await underLoad(client, () => samples(client));
    return [...figures(`${place}, idle`, idle, limits.idle), ...figures(`${place}, load`, load, limits.load)];
  });
}

const figures = (name: string, times: number[], [p50, p99]: [number, number]): Figure[] => [
  { name: `submit to end, ${name}, p50`, value: median(times), unit: 'ms', atMost: p50 },
  { name: `submit to end, ${name}, p99`, value: percentile(times, 0.99), unit: 'ms', atMost: p99 },
];

async function samples(client: Client): Promise<number[]> {
  const times: number[] = [];
  while (times.length < SAMPLES) times.push(await submitToEnd(client, 'two'));
  return times;
}

async function submitToEnd(client: Client, path: string): Promise<number> {
  const submitted = performance.now();
  const { execution_id } = await client.call('executions.start', { body: { path } });
  const last = (await eventsOf(client, execution_id)).at(-1);
  if (last?.data.status !== 'succeeded') throw new Error(`${execution_id} did not succeed`);
  return performance.now() - submitted;
}

async function underLoad<T>(client: Client, use: () => Promise<T>): Promise<T> {
  let over = false;
  const loader = async () => {
    while (!over) await submitToEnd(client, 'load');
  };
  const loaders = Array.from({ length: LOADERS }, loader);
  try {
    return await use();
  } finally {
    over = true;
    await Promise.all(loaders);
  }
}
