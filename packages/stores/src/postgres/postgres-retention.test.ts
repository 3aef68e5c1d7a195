import { newEvent } from '@woof/net';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Append, ExecutionRow } from '../store.ts';
import { MIGRATIONS } from './migrations.ts';
import { openPostgres } from './open-postgres.ts';
import type { PostgresStore } from './postgres-store.ts';

const DAY = 86_400_000;
/** Three periods of three days. */
const KEPT = 9;
const NUMBERS_PER_DAY = 2 ** 33;

describeUnless(postgresReason())('retention in postgres', () => {
  let server: PostgresServer;
  let root: ReturnType<typeof postgres>;
  let admin: ReturnType<typeof postgres>;
  let store: PostgresStore;
  let url: string;
  let opened: PostgresStore[] = [];
  let made = 0;
  let today = 0;

  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'off' } });
    root = postgres(server.url(), { max: 1 });
  });
  afterAll(async () => {
    await root.end();
    await server.dispose();
  });

  beforeEach(async () => {
    const name = `d${made++}`;
    await root.unsafe(`CREATE DATABASE ${name}`);
    url = server.url(name);
    admin = postgres(url, { max: 1, onnotice: () => {} });
    store = await open();
    today = Math.floor(Date.now() / DAY);
  });
  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
    opened = [];
    await admin.end();
  });

  async function open(): Promise<PostgresStore> {
    const one = await openPostgres(url, { connections: 3 });
    opened.push(one.store);
    return one.store;
  }

  /** Connections to a server that was killed fail once. */
  async function connectAgain(): Promise<void> {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await Promise.all([root, admin].map((one) => one.end({ timeout: 0 })));
    root = postgres(server.url(), { max: 1 });
    admin = postgres(url, { max: 1, onnotice: () => {} });
    store = await open();
  }

  /** Advances the store's clock, which otherwise stands still. */
  async function pass(days: number): Promise<void> {
    today += days;
    const now = `SELECT ${today * DAY + DAY / 2}::bigint`;
    await admin.unsafe(
      `CREATE OR REPLACE FUNCTION woof.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS '${now}'`,
    );
  }

  const event = (n: number) => newEvent('workflow.started', n, {}, { entry: [] });

  function run(id: string, more: Partial<ExecutionRow> = {}): Append {
    const at = today * DAY;
    const times = { started_at: at, ended_at: at };
    const row = { execution_id: id, name: id, kind: 'playbook', plan_hash: '', status: 'succeeded' as const };
    return { execution_id: id, expected: 0, events: [event(0)], row: { ...row, ...times, ...more } };
  }

  const going = (id: string, more: Partial<ExecutionRow> = {}): Append => {
    const append = run(id, { ...more, status: 'running' });
    delete append.row!.ended_at;
    return append;
  };

  async function forgetAll(from = store): Promise<void> {
    while (await from.forgetExecutions(KEPT));
  }

  const ids = async () => (await store.executions()).map((row) => row.execution_id).sort();
  const periods = async () =>
    (await admin`SELECT first_no FROM woof.periods ORDER BY first_no`).map(
      ({ first_no }) => Number(first_no) / NUMBERS_PER_DAY,
    );
  const framesOf = async (table = 'woof.frames') =>
    Number((await admin.unsafe(`SELECT count(*) FROM ${table}`))[0]!.count);
  const eventsOf = async (id: string) => {
    let events = 0;
    for await (const frame of store.read(id)) events += frame.events.length;
    return events;
  };

  it('drops the partition of a period when all of its runs have gone', async () => {
    await pass(0);
    const first = today;
    await store.append([run('a'), run('b')]);
    await store.saveSnapshot('a', { seq: 1, state: '{}' });
    await forgetAll();
    expect(await periods()).toEqual([0, first]);
    await store.append([run('c')]);
    await pass(3);
    await forgetAll();
    await store.append([run('d')]);
    expect(await periods()).toEqual([0, first, first + 3]);
    await pass(KEPT - 2);
    await forgetAll();
    expect(await ids()).toEqual(['d']);
    expect(await eventsOf('a')).toBe(0);
    expect(await periods()).toEqual([first + 3, today]);
    expect(await framesOf()).toBe(1);
    expect(await framesOf('woof.snapshots')).toBe(0);
    expect((await store.counts()).succeeded).toBe(1);
    expect(await store.append([{ execution_id: 'd', expected: 1, events: [event(1)] }])).toEqual([]);
    expect(await eventsOf('d')).toBe(2);
  });

  it('keeps what has not ended, what ended lately, and what those need', async () => {
    await pass(0);
    const early = { started_at: (today - 20) * DAY };
    const old = { ...early, ended_at: (today - 10) * DAY };
    await store.append([
      run('gone', old),
      run('child of gone', { ...old, parent: 'gone' }),
      going('runs', early),
      run('child of runs', { ...old, parent: 'runs' }),
      run('grandchild of runs', { ...old, parent: 'child of runs' }),
      run('ended lately', { ...early, ended_at: (today - 8) * DAY }),
      run('parent of one that runs', old),
      going('child that runs', { ...early, parent: 'parent of one that runs' }),
      run('reused', old),
      run('rerun', { ...early, ended_at: (today - 8) * DAY, rerun_of: 'reused' }),
      run('child of reused', { ...old, parent: 'reused' }),
      run('root of one that runs', old),
      run('child between', { ...old, parent: 'root of one that runs' }),
      going('grandchild that runs', { ...early, parent: 'child between' }),
    ]);
    const before = await ids();
    await forgetAll();
    expect(await ids()).toEqual(before.filter((id) => !id.endsWith('gone')));
    expect(await store.counts()).toMatchObject({ succeeded: 5, running: 1 });
  });

  it('looks at all runs from before the time, piece by piece, and not at later ones', async () => {
    await pass(0);
    const old = { started_at: (today - 20) * DAY, ended_at: (today - 10) * DAY };
    await store.append(Array.from({ length: 2500 }, (_, n) => run(`old ${n}`, old)));
    await store.append([run('new')]);
    const pieces: number[] = [];
    do pieces.push((await ids()).length);
    while (await store.forgetExecutions(KEPT));
    expect(pieces).toEqual([2501, 1501, 501]);
    expect(await ids()).toEqual(['new']);
  });

  it('removes frames one by one if a run keeps the partition', async () => {
    await pass(0);
    await forgetAll();
    await store.append([run('a'), going('stays'), run('z')]);
    await pass(KEPT + 2);
    await forgetAll();
    expect([await ids(), await framesOf()]).toEqual([['stays'], 3]);
    await pass(KEPT + 3);
    await forgetAll();
    expect([await ids(), await framesOf()]).toEqual([['stays'], 1]);
    expect(await store.append([{ ...run('stays'), expected: 1 }])).toEqual([]);
    expect(await eventsOf('stays')).toBe(2);
    await pass(KEPT + 1);
    await forgetAll();
    expect([await ids(), await framesOf()]).toEqual([[], 0]);
    expect(await periods()).toHaveLength(1);
  });

  it.each([
    ['the partitions are made', 'SELECT woof.add_period(3)'],
    ['numbers moved to them', 'SELECT woof.add_period(3); SELECT woof.enter_period()'],
  ])('a server that ends when %s leaves nothing broken', async (_, done) => {
    await pass(0);
    await store.append([run('a')]);
    await admin.unsafe(done);
    await store.append([run('b')]);
    await forgetAll(await open());
    await store.append([run('c')]);
    for (const id of ['a', 'b', 'c']) expect(await eventsOf(id)).toBe(1);
    const [newest] = await admin`SELECT max(no) AS no FROM woof.executions`;
    expect(Math.floor(Number(newest!.no) / NUMBERS_PER_DAY)).toBe(today);
  });

  it('does not wait for a long reader, nor let others wait', async () => {
    await pass(0);
    await store.append([run('a')]);
    await forgetAll();
    await pass(KEPT + 1);
    const dump = postgres(url, { max: 1 });
    await dump.begin(async (sql) => {
      await sql`SELECT count(*) FROM woof.frames`;
      await forgetAll();
      await store.append([run('b')]);
      expect(await periods()).toContain(0);
    });
    await dump.end();
    await forgetAll();
    expect(await periods()).not.toContain(0);
    expect(await ids()).toEqual(['b']);
  });

  it('works on several servers while others append', async () => {
    await pass(0);
    const servers = [await open(), await open(), await open()];
    let isOver = false;
    let appended = 0;
    const appending = servers.slice(1).map(async (one, at) => {
      for (let n = 0; !isOver; n++, appended++) {
        const id = `${at}-${n}`;
        expect(await one.append([going(id)])).toEqual([]);
        expect(await one.append([{ execution_id: id, expected: 1, events: [event(1)] }])).toEqual([]);
      }
    });
    for (let round = 0; round < 8; round++) {
      const before = appended;
      await pass(3);
      await Promise.all(servers.map(forgetAll));
      while (appended < before + 10) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    isOver = true;
    await Promise.all(appending);
    await forgetAll();
    await store.append([going('last')]);
    expect(await framesOf()).toBe(appended * 2 + 1);
    // A sweep that did not get its lock leaves a period empty, and a later one removes it.
    const used =
      await admin`SELECT DISTINCT no / ${NUMBERS_PER_DAY}::bigint AS day FROM woof.executions ORDER BY day`;
    expect(await periods()).toEqual(used.map(({ day }) => Number(day)));
    expect(used.length).toBeGreaterThan(1);
  });

  it('loses nothing when the database is killed in the middle of it', async () => {
    await pass(0);
    const kept: string[] = [];
    for (let round = 0; round < 3; round++) {
      await store.append([run(`old ${round}`)]);
      await pass(KEPT + 1);
      const forgetting = forgetAll().catch(() => {});
      await store.append([going(`kept ${round}`)]);
      kept.push(`kept ${round}`);
      await server.kill();
      await forgetting;
      await server.start();
      await connectAgain();
    }
    await forgetAll();
    await store.append([going('last')]);
    expect(await ids()).toEqual([...kept, 'last']);
    for (const id of kept) expect(await eventsOf(id)).toBe(1);
  });

  it('lists runs on both sides of a gap in the numbers', async () => {
    await pass(0);
    await store.append([run('needle'), run('a')]);
    await forgetAll();
    await store.append([run('b'), run('c')]);
    while (await store.indexLists());
    const bounds = { firstLook: 1, chunk: 1, windows: 3 };
    for (const order of ['newest', 'oldest'] as const) {
      const name = order === 'newest' ? 'needle' : 'c';
      const page = await store.list({ name, order }, bounds);
      expect(page.executions.map((row) => row.execution_id)).toEqual([name]);
      expect(page.next).toBeUndefined();
    }
  });

  it('takes over the tables of a database from before', async () => {
    await admin.unsafe('DROP SCHEMA woof CASCADE; CREATE SCHEMA woof');
    const before = MIGRATIONS.findIndex((step) => step.includes('VIEW woof.periods'));
    for (const step of MIGRATIONS.slice(0, before)) await admin.unsafe(step);
    await admin.unsafe(
      `CREATE TABLE woof.schema (version integer NOT NULL); INSERT INTO woof.schema VALUES (${before})`,
    );
    const append = run('a');
    await admin`INSERT INTO woof.executions (id, row) VALUES ('a', ${admin.json(append.row as never)})`;
    await admin`INSERT INTO woof.frames VALUES (1, 0, 1, '[]')`;
    await admin`INSERT INTO woof.snapshots VALUES (1, 1, '{}')`;
    store = await open();
    expect(await store.append([{ execution_id: 'a', expected: 1, events: [event(1)] }])).toEqual([]);
    expect(await store.snapshot('a')).toEqual({ seq: 1, state: '{}' });
    expect(await framesOf('woof.frames_19700101')).toBe(2);
  });
});
