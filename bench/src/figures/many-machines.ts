/** A server on Postgres with fsync and two workers, all over HTTP, each in its own process, as people run them. */
import { type Client, followEvents } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, missing, percentile, perSecond } from '../figure.ts';
import { heapWithoutGarbage, SNAPSHOTS } from '../heap.ts';
import { chain, eventsOf, type Machines, pause, withMachines } from '../machines.ts';

const EXECUTIONS = 1000;
const STEPS = 10;
const PARKED = 10_000;
const LISTENERS = 1000;
/** How many starts are in flight at once. */
const AT_ONCE = 50;

const DOCUMENTS: Record<string, string> = {
  chain: chain('chain', STEPS),
  long: chain('long', 200),
  parked: chain('parked', 1, '{kind: wait, seconds: 86400}'),
};

export async function manyMachinesFigures(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing('many machines', reason)];
  const postgres = await startPostgres();
  const options = { store: postgres.url(), workers: 2, slots: 256, documents: DOCUMENTS };
  try {
    return await withMachines({ ...options, nodeOptions: SNAPSHOTS }, figures);
  } finally {
    await postgres.dispose();
  }
}

async function figures(machines: Machines): Promise<Figure[]> {
  const { client } = machines;
  await run(client, 'chain', 100);
  return [
    ...(await throughput(client)),
    ...(await idleSteps(client)),
    ...(await listeners(client)),
    ...(await parked(machines)),
  ];
}

/** Starts them, a few at a time. */
async function start(client: Client, path: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  let left = count;
  const starter = async () => {
    while (left-- > 0) ids.push((await client.call('executions.start', { body: { path } })).execution_id);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, starter));
  return ids;
}

async function run(client: Client, path: string, count: number): Promise<string[]> {
  const ids = await start(client, path, count);
  for (;;) {
    const query = { status: 'running', limit: 1 } as const;
    const { executions } = await client.call('executions.list', { query });
    if (executions.length === 0) return ids;
    await pause(20);
  }
}

async function throughput(client: Client): Promise<Figure[]> {
  const rates: number[] = [];
  let ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    const started = performance.now();
    ids = await run(client, 'chain', EXECUTIONS);
    rates.push(perSecond(EXECUTIONS * STEPS, started));
  }
  const waits: number[] = [];
  for (const id of ids.slice(0, 200)) {
    const events = await eventsOf(client, id);
    for (const [index, event] of events.entries()) {
      if (event.name !== 'job.leased') continue;
      const done = events.slice(index).find(({ name }) => name === 'task.done');
      const { ts } = (done!.data.outcome as { meta: { ts: string } }).meta;
      waits.push(Date.parse(ts) - Date.parse(event.timestamp));
    }
  }
  const p99 = percentile(waits, 0.99);
  return [
    { name: '1,000 × 10 steps over HTTP on Postgres', value: median(rates), unit: 'steps/s', atLeast: 3000 },
    { name: 'lease to start at the worker under that load, p99', value: p99, unit: 'ms', atMost: 50 },
  ];
}

async function idleSteps(client: Client): Promise<Figure[]> {
  const [id] = await run(client, 'long', 1);
  const times = (await eventsOf(client, id!))
    .filter(({ name }) => name === 'step.done')
    .map(({ timestamp }) => Date.parse(timestamp));
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  return [{ name: 'step to step when idle, p50', value: median(gaps), unit: 'ms', atMost: 5 }];
}

/** All of them follow one execution that waits for its cancellation. */
async function listeners(client: Client): Promise<Figure[]> {
  const [id] = await start(client, 'parked', 1);
  const ends = Array.from({ length: LISTENERS }, async () => {
    let last = '';
    for await (const { name } of followEvents(client, id!)) last = name;
    return { last, at: performance.now() };
  });
  await pause(3000);
  const cancelled = performance.now();
  await client.call('executions.cancel', { params: { id: id! }, body: {} });
  const heard = await Promise.all(ends);
  const all = heard.filter(({ last }) => last === 'playbook.processed').length;
  const slowest = Math.max(...heard.map(({ at }) => at)) - cancelled;
  return [
    { name: 'listeners that heard the end', value: all, unit: `of ${LISTENERS}`, atLeast: LISTENERS },
    { name: 'until the last of them heard it', value: slowest, unit: 'ms' },
  ];
}

async function parked(machines: Machines): Promise<Figure[]> {
  const before = await heapWithoutGarbage(machines);
  await start(machines.client, 'parked', PARKED);
  await pause(2000);
  const each = ((await heapWithoutGarbage(machines)) - before) / PARKED;
  return [{ name: '10,000 parked executions, memory each', value: each, unit: 'bytes', atMost: 2048 }];
}
