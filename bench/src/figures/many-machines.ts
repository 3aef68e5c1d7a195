/** A server on Postgres with fsync, two workers, all over HTTP, each a process of its own, as people run them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { type Figure, median, perSecond } from '../figure.ts';

const EXECUTIONS = 1000;
const STEPS = 10;
const PARKED = 10_000;
const LISTENERS = 1000;
/** The server writes a snapshot of its heap when it is asked to. */
const SNAPSHOTS = '--heapsnapshot-signal=SIGUSR2';
/** How many starts are under way at once. */
const AT_ONCE = 50;

const binary = fileURLToPath(new URL('../../bin/woof', import.meta.url));

export async function manyMachinesFigures(): Promise<Figure[]> {
  const reason = postgresReason();
  if (reason !== undefined) return [missing(reason)];
  const folder = mkdtempSync(join(tmpdir(), 'woof-bench-'));
  const postgres = await startPostgres();
  const children: ChildProcess[] = [];
  try {
    const { client, server } = await boot(folder, postgres.url(), children);
    await run(client, 'chain', 100);
    return [
      ...(await throughput(client)),
      ...(await idleSteps(client)),
      ...(await listeners(client)),
      ...(await parked(client, server, folder)),
    ];
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await postgres.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

const missing = (note: string): Figure => ({ name: 'many machines', value: Number.NaN, unit: '', note });

async function boot(folder: string, store: string, children: ChildProcess[]) {
  const woof = (...args: string[]) => {
    const env = args[0] === 'server' ? { ...process.env, NODE_OPTIONS: SNAPSHOTS } : process.env;
    const child = spawn(binary, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  const data = ['--data', join(folder, 'server')];
  const quiet = ['--json', '--log-level', 'error', '--rate', '1000000'];
  const server = woof('server', '--listen', '127.0.0.1:0', '--store', store, ...quiet, ...data);
  const { url, token } = await firstLine(server);
  for (const name of ['a', 'b'])
    woof('worker', '--server', url, '--token', token, '--slots', '256', '--data', join(folder, name));
  const client = new Client({ url, token });
  for (const [path, text] of Object.entries(DOCUMENTS))
    await client.call('documents.register', { body: { text, path } });
  while ((await client.call('workers.list')).workers.length < 2) await pause(20);
  return { client, server };
}

async function firstLine(child: ChildProcess): Promise<{ url: string; token: string }> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('the server ended before it listened');
}

const step = (index: number, last: number, tool: string) =>
  `  - step: s${index}\n    tool: ${tool}\n${index < last ? `    next: {arcs: [{step: s${index + 1}}]}\n` : ''}`;

function chain(name: string, length: number, tool = '{kind: noop}'): string {
  const steps = Array.from({ length }, (_, index) => step(index, length - 1, tool)).join('');
  const head = `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}}\n`;
  return `${head}executor: {spec: {entry_step: s0}}\nworkflow:\n${steps}`;
}

const DOCUMENTS: Record<string, string> = {
  chain: chain('chain', STEPS),
  long: chain('long', 200),
  parked: chain('parked', 1, '{kind: wait, seconds: 86400}'),
};

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
  const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)]!;
  return [
    { name: '1,000 × 10 steps over HTTP on Postgres', value: median(rates), unit: 'steps/s', atLeast: 3000 },
    { name: 'lease to start at the worker under that load, p99', value: p99, unit: 'ms', atMost: 50 },
  ];
}

async function eventsOf(client: Client, id: string): Promise<Envelope[]> {
  const events: Envelope[] = [];
  for await (const event of followEvents(client, id)) events.push(event);
  return events;
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

async function parked(client: Client, server: ChildProcess, folder: string): Promise<Figure[]> {
  const before = await heapWithoutGarbage(client, server, folder);
  await start(client, 'parked', PARKED);
  await pause(2000);
  const each = ((await heapWithoutGarbage(client, server, folder)) - before) / PARKED;
  return [{ name: '10,000 parked executions, memory each', value: each, unit: 'bytes', atMost: 2048 }];
}

/** Before it writes a snapshot of its heap, Node removes all garbage. */
async function heapWithoutGarbage(client: Client, server: ChildProcess, folder: string): Promise<number> {
  const snapshots = () => readdirSync(folder).filter((name) => name.endsWith('.heapsnapshot')).length;
  const before = snapshots();
  server.kill('SIGUSR2');
  while (snapshots() === before) await pause(50);
  // It answers when the snapshot is written.
  const text = await (await client.send('metrics.get', {})).text();
  return Number(/^nodejs_heap_used_bytes (\d+)/m.exec(text)?.[1]);
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
