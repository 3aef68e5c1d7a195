/**
 * The latency that one user sees at a server: from submitting a two-step playbook until its end, both over HTTP.
 * Measured on an idle server, under a steady load, and beside documents that want more than the server can hold. A
 * stall of any part on the path (a report, a claim, a wake-up) shows in p99.
 */
import type { Client } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing, percentile } from '../figure.ts';
import { chain, eventsOf, type MachinesOptions, withMachines } from '../machines.ts';
import { besidePoison, POISON } from '../poison.ts';

const SAMPLES = 200;
/** Clients that run one chain after another beside the measured one. */
const LOADERS = 4;
/** Long enough for each poisonous document to be started, cancelled and started again. */
const POISONED_MS = 15_000;
const DOCUMENTS = { two: chain('two', 2), load: chain('load', 10) };

/**
 * In ms. The median of an idle server is a promise. The others are about ten times what two idle cores need: a busy
 * machine stays within them, but waiting for a lease to expire does not.
 */
interface Limits {
  idle: [p50: number, p99: number];
  load: [p50: number, p99: number];
  aim: number;
}

const NEAR: Limits = { idle: [15, 150], load: [125, 300], aim: 8 };
const FAR: Limits = { idle: [25, 300], load: [200, 500], aim: 15 };

export async function latencyFigures(): Promise<Figure[]> {
  return [
    ...(await measure('near', { workers: 0 }, NEAR)),
    ...(await measure('far', { workers: 1 }, FAR)),
    ...(await onPostgres()),
  ];
}

/**
 * Endless loops and tokens together, then steps that compute for long, then a playbook that calls itself in a loop. The baseline is the same server under
 * the ordinary load: whatever keeps it busy, other runs wait for their turn, and poison must not make them wait much
 * longer.
 */
export function poisonFigures(): Promise<Figure[]> {
  return withMachines({ workers: 0, documents: { ...DOCUMENTS, ...POISON } }, async ({ client }) => {
    await warmUp(client);
    const load = await underLoad(client, () => samplesFor(client, POISONED_MS));
    const loops = await besidePoison(client, ['wide', 'deep', 'split'], () =>
      samplesFor(client, POISONED_MS),
    );
    const values = await besidePoison(client, ['growing', 'guards'], () => samplesFor(client, POISONED_MS));
    const calls = await besidePoison(client, ['fork'], () => samplesFor(client, POISONED_MS));
    return [
      ...beside('endless loops', loops, load),
      ...beside('large values and guards', values, load),
      ...beside('endless calls', calls, load),
    ];
  });
}

function beside(poison: string, times: number[], load: number[]): Figure[] {
  const [p99, loadP99] = [times, load].map((all) => percentile(all, 0.99)) as [number, number];
  const of = `p99 ${p99.toFixed(0)} ms, under load ${loadP99.toFixed(0)} ms, of ${times.length}`;
  const [, atMost] = NEAR.load;
  return [
    {
      name: `submit to end, p99 beside ${poison}`,
      value: p99 / loadP99,
      unit: '× load',
      atMost: 2.5,
      note: of,
    },
    { name: `submit to end, longest beside ${poison}`, value: Math.max(...times), unit: 'ms', atMost },
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
    await warmUp(client);
    const idle = await samples(client);
    const load = await underLoad(client, () => samples(client));
    const [p50, ...rest] = figures(`${place}, idle`, idle, limits.idle);
    return [{ ...p50!, aim: limits.aim }, ...rest, ...figures(`${place}, load`, load, limits.load)];
  });
}

const figures = (name: string, times: number[], [p50, p99]: [number, number]): Figure[] => [
  { name: `submit to end, ${name}, p50`, value: median(times), unit: 'ms', atMost: p50 },
  { name: `submit to end, ${name}, p99`, value: percentile(times, 0.99), unit: 'ms', atMost: p99 },
];

async function warmUp(client: Client): Promise<void> {
  for (let run = 0; run < 50; run++) await submitToEnd(client, 'two');
}

async function samplesFor(client: Client, ms: number): Promise<number[]> {
  const end = performance.now() + ms;
  const times: number[] = [];
  while (performance.now() < end) times.push(await submitToEnd(client, 'two'));
  return times;
}

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
