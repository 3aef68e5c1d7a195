/**
 * The disk under Postgres is full: what was acknowledged stays, callers are told, and work continues by itself when
 * there is space again. Postgres is on its own small disk, which the test fills.
 */
import { randomBytes } from 'node:crypto';
import { Client } from '@woof/client';
import { Problem } from '@woof/protocol';
import { describeUnless, postgresReason, smallDiskReason, startPostgres } from '@woof/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { playbook, temporaryFolder, until } from '../cli/woof.ts';
import { startServer, startWorker } from './machines.ts';

/** Counts, waits until it is released, and counts again. */
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

  /** Its payload does not fit into an existing page. */
  async another(): Promise<void> {
    const name = `run${this.ids.size}`;
    const payload = { name, load: randomBytes(20_000).toString('base64') };
    const { execution_id } = await this.client.call('executions.start', {
      body: { text: this.text, payload },
    });
    this.ids.set(name, execution_id);
  }

  /** Resolves with the first refusal. */
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

/** A new connection of the server may also find no space, and is opened again. */
async function isThere(client: Client, id: string): Promise<void> {
  await until(`${id} can be read`, async () => {
    const row = await client.call('executions.row', { params: { id } }).catch((error: unknown) => error);
    if (row instanceof Problem) expect(row.status).toBe(503);
    return !(row instanceof Error);
  });
}

async function world() {
  const database = await startPostgres({ diskMegabytes: 112, settings: { autovacuum: 'off' } });
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
  test('no space for data: refused with a code that says so, and continues when there is space', async () => {
    const { database, effects, server, client, started } = await world();
    const text = guarded(effects.url);
    const { execution_id: held } = await client.call('executions.start', { body: { text } });
    await until('a worker is at the gate', () => effects.count('/hold/gate') === 1);

    database.disk!.fill();
    const refused = await started.untilRefused();
    expect(refused).toMatchObject({ status: 503, code: 'store/full' });
    expect(refused.message).not.toMatch(/postgres|pg_|base\/|127\.0\.0\.1/i);
    effects.release('gate');
    for (const id of [...started.ids.values(), held]) await isThere(client, id);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    // Small writes may still find space in between.
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
});
