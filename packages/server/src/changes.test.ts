/** Rows as they change: a client that folds them has the same rows as the list, however often the stream breaks. */
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { MemoryStore, type SharedStore, SqliteStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ONE_STEP, type TestServer, temporaryFolder, testServer, until } from './fixtures/test-server.ts';

type Row = Record<string, unknown> & { execution_id: string };

/** Behaves like Studio: loads the list when told to, and folds changes into it. */
class Follower {
  readonly rows = new Map<string, Row>();
  readonly heard: string[] = [];
  lastId: string | undefined;
  private response: IncomingMessage | undefined;
  /** For each list that is being loaded, the ids that the stream has sent since. */
  private readonly loads = new Set<Set<string>>();

  constructor(
    private test: TestServer,
    private readonly token = test.tokens.viewer,
  ) {}

  async connect(test = this.test): Promise<void> {
    this.test = test;
    this.response?.destroy();
    const headers = {
      authorization: `Bearer ${this.token}`,
      accept: 'text/event-stream',
      ...(this.lastId === undefined ? {} : { 'last-event-id': this.lastId }),
    };
    const isFirst = this.lastId === undefined;
    const seen = this.heard.length;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${test.url}/v1/changes`, { headers }).on('response', resolve).on('error', reject);
    });
    this.response = response;
    let rest = '';
    response.on('error', () => {});
    response.on('data', (chunk) => {
      if (this.response !== response) return;
      const events = (rest + String(chunk)).split('\n\n');
      rest = events.pop()!;
      for (const event of events) this.hear(event);
    });
    await until('the stream says something', () => this.heard.length > seen);
    if (isFirst) await this.load();
  }

  disconnect(): void {
    this.response?.destroy();
    this.response = undefined;
  }

  get isOver(): Promise<boolean> {
    return new Promise((resolve) => this.response!.on('close', () => resolve(true)));
  }

  /** Rows that the stream sends meanwhile are newer than the list. */
  async load(): Promise<void> {
    const said = new Set<string>();
    this.loads.add(said);
    for (const row of await listOf(this.test))
      if (!said.has(row.execution_id)) this.rows.set(row.execution_id, row);
    this.loads.delete(said);
  }

  private hear(text: string): void {
    this.lastId = /^id: (.*)$/m.exec(text)?.[1] ?? this.lastId;
    const [, name] = /^event: (.*)$/m.exec(text) ?? [];
    if (name === undefined) return;
    this.heard.push(name);
    // If the server stops meanwhile, the next connection loads the list, because it also begins with a reset.
    if (name === 'reset') void this.load().catch(() => {});
    const [, data] = /^data: (.*)$/m.exec(text)!;
    for (const row of (JSON.parse(data!) as { rows?: Row[] }).rows ?? []) {
      this.rows.set(row.execution_id, row);
      for (const said of this.loads) said.add(row.execution_id);
    }
  }
}

async function listOf(test: TestServer): Promise<Row[]> {
  const rows: Row[] = [];
  for (let before: string | undefined; ; ) {
    const query = before === undefined ? {} : { before };
    const page = await test.as('viewer').call('executions.list', { query });
    rows.push(...(page.executions as Row[]));
    if (page.next === undefined) return rows;
    before = page.next;
  }
}

const byId = (rows: Iterable<Row>) =>
  JSON.stringify([...rows].sort((a, b) => (a.execution_id < b.execution_id ? -1 : 1)));

async function agrees(follower: Follower, test: TestServer): Promise<void> {
  await until('the follower has what the list has', async () => {
    return byId(follower.rows.values()) === byId(await listOf(test));
  });
}

async function started(test: TestServer): Promise<string> {
  return (await test.as('operator').call('executions.start', { body: { text: ONE_STEP } })).execution_id;
}

/** Written as a local process in the same folder writes it. */
function foreign(store: SharedStore, count: number, prefix: string) {
  const row = { name: 'local', kind: 'playbook', status: 'running', started_at: 1, plan_hash: 'h' } as const;
  const batch = Array.from({ length: count }, (_, index) => {
    const execution_id = `${prefix}-${index}`;
    return { execution_id, expected: 0, events: [], row: { execution_id, ...row, driver: 'local-1' } };
  });
  return store.append(batch);
}

type Deed = 'start' | 'pause' | 'cancel' | 'leave' | 'return' | 'restart' | 'foreign' | 'burst';
const deeds = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Deed>('start', 'pause', 'cancel', 'foreign') },
    { weight: 3, arbitrary: fc.constantFrom<Deed>('leave', 'return') },
    { weight: 1, arbitrary: fc.constantFrom<Deed>('restart', 'burst') },
  ),
  { minLength: 1, maxLength: 12 },
);

async function follows(stores: { server: () => SharedStore; other: SharedStore }): Promise<void> {
  let test = await testServer({ store: stores.server() });
  const follower = new Follower(test);
  onTestFinished(() => follower.disconnect());
  await follower.connect();
  let made = 0;
  const perform: Record<Deed, () => Promise<unknown>> = {
    start: () => started(test),
    pause: async () => {
      const [row] = (
        await test.as('viewer').call('executions.list', { query: { status: 'running', name: 'test' } })
      ).executions;
      if (row) await test.as('operator').call('executions.pause', { params: { id: row.execution_id } });
    },
    cancel: async () => {
      const query = { status: 'running,paused', name: 'test' };
      const [row] = (await test.as('viewer').call('executions.list', { query })).executions;
      if (row)
        await test.as('operator').call('executions.cancel', { params: { id: row.execution_id }, body: {} });
    },
    leave: async () => follower.disconnect(),
    return: () => follower.connect(),
    restart: async () => {
      await test.stop();
      test = await testServer({ store: stores.server() });
      await follower.connect(test);
    },
    foreign: () => foreign(stores.other, 1, `one-${made++}`),
    burst: () => foreign(stores.other, 600, `burst-${made++}`),
  };
  await fc.assert(
    fc.asyncProperty(deeds, async (history) => {
      for (const deed of history) await perform[deed]();
      await follower.connect(test);
      await agrees(follower, test);
    }),
    { numRuns: 4 },
  );
}

describe('changes', () => {
  it('fold to the same rows as the list, on a store in memory', async () => {
    const store = new MemoryStore();
    await follows({ server: () => store, other: store });
  });

  it('fold to the same rows as the list, on SQLite with a local process beside the server', async () => {
    const path = join(temporaryFolder(), 'woof.db');
    const opened: SqliteStore[] = [];
    const open = () => opened[opened.push(new SqliteStore(path)) - 1]!;
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    await follows({ server: open, other: open() });
  });

  it('resume where the listener stopped, or with a reset if that is unknown', async () => {
    const test = await testServer();
    const follower = new Follower(test);
    await follower.connect();
    expect(follower.heard).toEqual(['ready']);
    follower.disconnect();
    await started(test);
    await follower.connect();
    await agrees(follower, test);
    expect(follower.heard).not.toContain('reset');
    for (const unknown of ['elsewhere.3', `${test.server.id}.999`, `${test.server.id}.-1`, 'x']) {
      follower.lastId = unknown;
      const before = follower.heard.length;
      await follower.connect();
      expect([unknown, follower.heard[before]]).toEqual([unknown, 'reset']);
    }
    follower.disconnect();
  });

  it('end when the token is revoked', async () => {
    const test = await testServer();
    const { token, id } = await test
      .as('admin')
      .call('tokens.create', { body: { name: 'guest', role: 'viewer' } });
    const guest = new Follower(test, token);
    const other = new Follower(test);
    await guest.connect();
    await other.connect();
    const over = guest.isOver;
    await test.as('admin').call('tokens.revoke', { params: { id } });
    expect(await over).toBe(true);
    await started(test);
    await agrees(other, test);
    other.disconnect();
  });

  it('are available only as a stream', async () => {
    const test = await testServer();
    await expect(test.as('viewer').call('changes.stream')).rejects.toMatchObject({
      code: 'request/invalid',
      message: expect.stringContaining('text/event-stream'),
    });
  });
});

describeUnless(postgresReason())('changes on Postgres', () => {
  it('reach listeners at another server, and fold to the same rows as the list', async () => {
    const postgres = await startPostgres({ settings: { fsync: 'off' } });
    onTestFinished(() => postgres.dispose());
    const open = async () => {
      const { store } = await openPostgres(postgres.url(), { connections: 3 });
      onTestFinished(() => store.close());
      return store;
    };
    const [one, two] = [await open(), await open()];
    const driving = await testServer({ store: await open() });
    await started(driving);
    await follows({ server: () => one, other: two });
    const test = await testServer({ store: one });
    const follower = new Follower(test);
    await follower.connect();
    await started(driving);
    await agrees(follower, test);
    follower.disconnect();
  });
});
