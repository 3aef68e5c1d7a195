/** The places that documents are submitted to: one process or two, on SQLite or on Postgres. */
import { Client } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { afterAll } from 'vitest';
import { type Ran, type Running, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';

export interface Place {
  /** Why this machine has no such place, if it has none. */
  without?: string | undefined;
  start(): Promise<Booted>;
}

export interface Booted {
  client: Client;
  cwd: string;
  /** From the start of the first process until a worker is ready. */
  startMs: number;
  /** A verb that talks to the server. */
  woof(...args: string[]): Promise<Ran>;
  /** Asks the processes to end; their exit statuses. */
  stop(): Promise<number[]>;
}

const noPostgres = postgresReason();

export const PLACES: [string, Place][] = [
  ['woof up on SQLite', { start: () => boot('up') }],
  ['server and worker on SQLite', { start: () => boot('server') }],
  ['woof up on Postgres', { without: noPostgres, start: async () => boot('up', await onPostgres()) }],
  [
    'server and worker on Postgres',
    { without: noPostgres, start: async () => boot('server', await onPostgres()) },
  ],
];

async function boot(verb: 'up' | 'server', store: string[] = []): Promise<Booted> {
  const cwd = temporaryFolder();
  const from = performance.now();
  const server = await startServer(cwd, { verb, more: [...QUICK, ...store] });
  const processes = verb === 'up' ? [server] : [await startWorker(server, cwd), server];
  const client = new Client(server);
  await until('a worker is known', async () => (await client.call('workers.list')).workers.length > 0);
  const startMs = performance.now() - from;
  return { client, cwd, startMs, woof: (...args) => ask(server, cwd, ...args), stop: () => stop(processes) };
}

async function stop(processes: readonly Running[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const { child, ended } of processes) {
    child.kill('SIGTERM');
    statuses.push((await ended).status);
  }
  return statuses;
}

/** Ten clients make more calls than one token may by default. */
const QUICK = ['--rate', '100000'];

let postgres: ReturnType<typeof startPostgres> | undefined;
afterAll(async () => (await postgres)?.dispose());

/** One database for all places; each has an admin token of its own there. */
async function onPostgres(): Promise<string[]> {
  postgres ??= startPostgres();
  return ['--store', (await postgres).url(), '--new-admin-token'];
}
