/**
 * The disk under Postgres is full: what was acknowledged stays, callers are told so, and work goes on by itself when there
 * is room again. Postgres lies on a small disk of its own, which the test fills.
 */
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { Client } from '@woof/client';
import { Problem } from '@woof/protocol';
import { StoreError } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import {
  describeUnless,
  type PostgresOptions,
  type PostgresServer,
  postgresReason,
  smallDiskReason,
  startPostgres,
} from '@woof/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { playbook, temporaryFolder, until } from '../cli/woof.ts';
import { startServer, startWorker } from './machines.ts';

/** Counts, waits until it is let go, and counts again. */
const guarded = (url: string) =>
  playbook(`- step: start
  tool:
    - before: {kind: http, url: "${url}/count/before"}
    - held: {kind: http, url: "${url}/hold/gate"}
    - after: {kind: http, url: "${url}/count/after"}
`);

const counted = (url: string) =>
  playbook(`- step: start\n  tool: {kind: http, url: "${url}/count/{{ workload.name }}"}\n`);

/** Executions that were acknowledged, by the name that each counts under. */
class Started {
  readonly ids = new Map<string, string>();
  private readonly text: string;

  constructor(
    private readonly client: Client,
    effects: { url: string },
  ) {
    this.text = counted(effects.url);
  }

  /** What it carries does not fit into a page that is there already. */
  async another(): Promise<void> {
    const name = `run${this.ids.size}`;
    const payload = { name, load: randomBytes(20_000).toString('base64') };
    const { execution_id } = await this.client.call('executions.start', {
      body: { text: this.text, payload },
    });
    this.ids.set(name, execution_id);
  }

  /** The first refusal. */
  async untilRefused(): Promise<Problem> {
    for (;;) {
      try {
        await this.another();
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
    }
  }

  async surely(): Promise<void> {
    const before = this.ids.size;
    await until('a run is taken again', async () => {
      await this.another().catch((error) => expect(error).toBeInstanceOf(Problem));
      return this.ids.size > before;
    });
  }

  async allSucceed(): Promise<void> {
    for (const id of this.ids.values()) await succeeds(this.client, id);
  }
}

async function succeeds(client: Client, id: string): Promise<void> {
  let status = '';
  await until(`${id} ends`, async () => {
    const row = await client.call('executions.row', { params: { id } });
    status = row.status;
    return row.ended_at !== undefined;
  });
  expect(status).toBe('succeeded');
}

/** Changes a record until the log of Postgres needs a file that there is no room for: then it stops, as it must. */
async function crashOnItsLog(database: PostgresServer): Promise<void> {
  const { store, close } = await openPostgres(database.url(), { connections: 1 });
  const write = () => store.records.put('test', 'written', { text: randomBytes(600).toString('base64') });
  await until('Postgres stops', async () => {
    database.disk!.fill();
    await manyTimes(write).catch((error) => expect(error).toBeInstanceOf(StoreError));
    return !(await answers(database.port));
  });
  await close();
}

async function manyTimes(work: () => Promise<unknown>): Promise<void> {
  for (let count = 0; count < 200; count++) await work();
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });
}

async function world(options: PostgresOptions) {
  const database = await startPostgres({ diskMegabytes: 112, ...options });
  onTestFinished(() => database.dispose());
  const effects = await startEffectServer();
  const cwd = temporaryFolder();
  const server = await startServer(cwd, { more: ['--store', database.url()] });
  await startWorker(server, cwd);
  const client = new Client(server);
  const started = new Started(client, effects);
  await started.another();
  return { database, effects, server, client, started };
}

const reason = postgresReason() ?? smallDiskReason();

describeUnless(reason)('a full disk under Postgres', () => {
  test('no room for data: refused with a code that says so, and goes on when there is room', async () => {
    const settings = { autovacuum: 'off' };
    const { database, effects, server, client, started } = await world({ settings });
    const text = guarded(effects.url);
    const { execution_id: held } = await client.call('executions.start', { body: { text } });
    await until('a worker is at the gate', () => effects.count('/hold/gate') === 1);

    database.disk!.fill();
    const refused = await started.untilRefused();
    expect(refused).toMatchObject({ status: 503, code: 'store/full' });
    expect(refused.message).not.toMatch(/postgres|pg_|base\/|127\.0\.0\.1/i);
    effects.release('gate');
    for (const id of [...started.ids.values(), held])
      expect(await client.call('executions.row', { params: { id } })).toBeDefined();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    // What is small may still find room in between.
    await until('it says that it is not ready', async () => {
      await started.untilRefused();
      const ready = await fetch(`${server.url}/readyz`);
      return ready.status === 503 && (await ready.text()).includes('store/full');
    });

    database.disk!.free();
    await started.surely();
    await succeeds(client, held);
    await started.allSucceed();
    expect(effects.count('/count/before')).toBe(1);
    for (const path of ['after', ...started.ids.keys()])
      expect(effects.count(`/count/${path}`), path).toBeGreaterThan(0);
  });

  test('no room for its log: Postgres stops; when it is started again, everything acknowledged is there', async () => {
    const settings = { autovacuum: 'off', min_wal_size: '2MB', max_wal_size: '16MB' };
    const { database, effects, started } = await world({ settings, logFileMegabytes: 1 });
    await crashOnItsLog(database);
    expect(await started.untilRefused()).toMatchObject({ status: 503, code: 'store/unavailable' });

    database.disk!.free();
    await database.start();
    await started.surely();
    await started.allSucceed();
    for (const path of started.ids.keys()) expect(effects.count(`/count/${path}`), path).toBeGreaterThan(0);
  });
});
