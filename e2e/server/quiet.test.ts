/**
 * If nothing fails, no lease expires. A lease that does means that a worker or a server forgot a job, or a report of one:
 * the execution still ends right, seconds later, so no test of results notices.
 *
 * No case depends on time: each waits until its executions have ended, then reads their logs.
 */
import { join } from 'node:path';
import { Client } from '@woof/client';
import { postgresReason, startPostgres } from '@woof/testkit/postgres';
import { describeUnless } from '@woof/testkit/unless';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, until } from '../cli/woof.ts';
import { chain, expiredJobs, logsOf, statusesOf, submitMany, wideLoop } from './load.ts';
import { startServer, startWorker } from './machines.ts';

interface Place {
  verb: 'up' | 'server';
  /** In addition to the one in `woof up`. */
  workers: number;
  slots: number;
  /** Of a loop; few slots take long for many. */
  iterations: number;
}

const PLACES: [string, Place][] = [
  ['woof up', { verb: 'up', workers: 0, slots: 64, iterations: 1000 }],
  ['woof up with one slot', { verb: 'up', workers: 0, slots: 1, iterations: 100 }],
  ['woof up and two more workers', { verb: 'up', workers: 2, slots: 16, iterations: 1000 }],
  ['a server and one worker', { verb: 'server', workers: 1, slots: 64, iterations: 1000 }],
  ['a server and three workers of two slots', { verb: 'server', workers: 3, slots: 2, iterations: 100 }],
];

/** One worker at a server on Postgres is part of the smoke test. */
const MANY_WORKERS = PLACES.filter(([, { workers }]) => workers > 1);

const FLAGS = ['--rate', '100000'];

describe('on SQLite nothing fails, so no job expires', () => {
  test.each(PLACES)('%s', async (_, place) => {
    await staysQuiet(await boot(place, FLAGS), place);
  });
});

describeUnless(postgresReason())('on Postgres nothing fails, so no job expires', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.dispose());

  test.each(MANY_WORKERS)('%s', async (_, place) => {
    // The cases share a database; each has an admin token of its own there.
    const flags = [...FLAGS, '--store', postgres.url(), '--new-admin-token'];
    await staysQuiet(await boot(place, flags), place);
  });
});

async function boot({ verb, workers, slots }: Place, flags: string[]): Promise<Client> {
  const cwd = temporaryFolder();
  const more = verb === 'up' ? ['--slots', String(slots)] : [];
  const server = await startServer(cwd, { verb, more: [...flags, ...more] });
  const names = Array.from({ length: workers }, (_, index) => join(cwd, `worker-${index}`));
  await Promise.all(names.map((data) => startWorker(server, cwd, '--slots', String(slots), '--data', data)));
  const client = new Client(server);
  const wanted = workers + (verb === 'up' ? 1 : 0);
  await until('the workers are known', async () => {
    const { workers: known } = await client.call('workers.list');
    return known.length >= wanted;
  });
  return client;
}

/** One client alone, a burst of several, and a wide loop beside them. */
async function staysQuiet(client: Client, { iterations }: Place): Promise<void> {
  const alone = await logsOf(client, await submitMany(client, chain(10), { count: 1, clients: 1 }));
  const ids = await Promise.all([
    submitMany(client, chain(10), { count: 24, clients: 8 }),
    submitMany(client, wideLoop(iterations), { count: 1, clients: 1 }),
  ]);
  const logs = [...alone, ...(await logsOf(client, ids.flat()))];
  expect(logs).toHaveLength(26);
  expect(statusesOf(logs)).toEqual(['succeeded']);
  expect(expiredJobs(logs)).toEqual([]);
}
