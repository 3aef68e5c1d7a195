import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadState, SCHEDULES } from '@woof/engine';
import type { JsonObject } from '@woof/net';
import { MemoryStore, type SharedStore, SqliteStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CalledServer, calledServer } from './fixtures/plain-calls.ts';
import { playbook } from './fixtures/test-server.ts';

const NOON = Date.parse('2026-05-04T12:00:00Z');

let now: number;
let one: CalledServer;
beforeEach(async () => {
  now = NOON - 60_000;
  one = await calledServer({ store: new MemoryStore(() => now), now: () => now });
});

function tidy(schedules: string, days = 1, path = 'jobs/tidy'): string {
  const head = `metadata: {name: tidy, path: ${path}}\nworkload: {days: ${days}, region: eu}\n`;
  const executor = schedules === '' ? '' : `executor: {spec: {schedules: ${schedules}}}\n`;
  return playbook('- step: start\n  spec: {labels: {zone: eu}}\n  tool: {kind: noop}', head + executor);
}

const HOURLY = '[{cron: "0 * * * *", payload: {days: 7}}]';
const register = (schedules: string, ...more: [number?, string?]) =>
  one.call('POST', '/v1/documents', { text: tidy(schedules, ...more) });
const ids = async (server = one): Promise<string[]> => {
  const { body } = await server.call('GET', '/v1/schedules');
  return body.schedules.map(({ schedule_id }: { schedule_id: string }) => schedule_id);
};
const get = async (id: string) => (await one.call('GET', `/v1/schedules/${id}`)).body;

describe('a document that declares schedules', () => {
  it('creates them when it is registered, named after its path', async () => {
    const { status, body } = await register(
      '[{cron: "@daily", timezone: Europe/Berlin}, {name: weekly, cron: "@weekly", overlap: queue, priority: 5}]',
    );
    expect(status).toBe(201);
    expect(body.schedules).toMatchObject([
      { schedule_id: 'jobs.tidy', timezone: 'Europe/Berlin', catch_up: 'skip', overlap: 'skip', payload: {} },
      { schedule_id: 'jobs.tidy.weekly', timezone: 'UTC', overlap: 'queue', priority: 5 },
    ]);
    expect(body.removed_schedules).toEqual([]);
    expect(await ids()).toEqual(['jobs.tidy', 'jobs.tidy.weekly']);
    expect(await get('jobs.tidy')).toMatchObject({ path: 'jobs/tidy', document: { version: body.version } });
  });

  it('starts on them, with their payload', async () => {
    await register(HOURLY);
    now = NOON;
    await vi.waitFor(async () => {
      expect((await get('jobs.tidy')).runs).toMatchObject([{ due_at: NOON, state: 'started' }]);
    }, 500_000);
    const [row] = await one.store.executions();
    const state = await loadState(one.store, row!.execution_id);
    expect(state!.workload).toEqual({ days: 7, region: 'eu' });
    expect(one.faults).toEqual([]);
  });

  it('keeps their runs and whether they are paused when it is registered again', async () => {
    await register(HOURLY);
    await one.call('POST', '/v1/schedules/jobs.tidy/run');
    await one.call('POST', '/v1/schedules/jobs.tidy/pause');
    const before = await get('jobs.tidy');
    now += 1000;
    const { body } = await register(HOURLY, 2);
    const after = await get('jobs.tidy');
    expect(after).toEqual({ ...before, document: after.document });
    expect(after.document.version).toBe(body.version);
    expect(after).toMatchObject({ paused: true, runs: [{ manual: true }] });
  });

  it('changes and removes them with its next version, but no others', async () => {
    await register('[{cron: "@daily"}, {name: weekly, cron: "@weekly"}]');
    await one.call('POST', '/v1/documents', { text: tidy('[{cron: "@daily"}]', 1, 'jobs/tidy2') });
    const mine = { schedule_id: 'jobs.tidy.mine', path: 'jobs/tidy', cron: '@hourly' };
    await one.call('POST', '/v1/schedules', mine);
    const { body } = await register('[{cron: "@hourly"}]');
    expect(body.removed_schedules).toEqual(['jobs.tidy.weekly']);
    expect(await get('jobs.tidy')).toMatchObject({ cron: '@hourly' });
    await register('');
    expect(await ids()).toEqual(['jobs.tidy.mine', 'jobs.tidy2']);
  });

  it('removes them when it is removed', async () => {
    await register(HOURLY);
    await one.call('DELETE', '/v1/documents/jobs%2Ftidy');
    expect(await ids()).toEqual([]);
  });

  it('has none if its text is gone', async () => {
    await register(HOURLY);
    const { body } = await one.call('GET', '/v1/documents/jobs%2Ftidy');
    await one.store.records.remove('document-versions', `jobs/tidy@${body.version}`);
    const ended = await one.server.parts.declared.settle('jobs/tidy');
    expect(ended).toEqual({ schedules: [], removed: ['jobs.tidy'] });
  });

  it('is refused as a whole if the name of a schedule is taken', async () => {
    await register('');
    await one.call('POST', '/v1/schedules', { schedule_id: 'jobs.tidy', path: 'jobs/tidy', cron: '@daily' });
    const { status, body } = await register(HOURLY, 2);
    expect([status, body.code]).toEqual([409, 'request/conflict']);
    expect(body.detail).toContain(
      '"jobs.tidy" already exists, created by a person; remove it with woof schedule rm',
    );
    expect((await one.call('GET', '/v1/documents/jobs%2Ftidy')).body.versions).toBe(1);
    expect((await register('[{name: b, cron: "@daily"}]', 1, 'jobs/a')).status).toBe(201);
    const other = await register('[{cron: "@daily"}]', 1, 'jobs/a.b');
    expect(other.body.detail).toContain('declared by the document jobs/a;');
  });

  it('is the only place to change them, but not the only place to pause them', async () => {
    await register(HOURLY);
    const asked = { path: 'jobs/tidy', cron: '@daily' };
    for (const refused of [
      await one.call('PUT', '/v1/schedules/jobs.tidy', asked),
      await one.call('DELETE', '/v1/schedules/jobs.tidy'),
    ])
      expect(refused.body).toMatchObject({
        status: 409,
        detail: expect.stringContaining('declared by the document jobs/tidy; change it there'),
      });
    expect((await one.call('POST', '/v1/schedules/jobs.tidy/pause')).status).toBe(200);
    expect(await get('jobs.tidy')).toMatchObject({ cron: '0 * * * *', paused: true });
  });

  it('needs the same role as schedules', async () => {
    const headers = { authorization: `Bearer ${one.tokens.viewer}` };
    const { status } = await one.call('POST', '/v1/documents', { text: tidy(HOURLY) }, headers);
    expect(status).toBe(403);
    expect(await ids()).toEqual([]);
  });

  it('is checked again when one is due: what a crash left behind starts nothing', async () => {
    await register(HOURLY);
    const { records } = one.store;
    const { value } = (await records.get(SCHEDULES, 'jobs.tidy'))!;
    await register('');
    await records.put(SCHEDULES, 'jobs.tidy', value as JsonObject, 0);
    const { body } = await one.call('POST', '/v1/schedules/jobs.tidy/run');
    expect(body).toMatchObject({
      state: 'failed',
      note: 'the document jobs/tidy no longer declares this schedule in the same way',
    });
    expect(await ids()).toEqual([]);
    expect(await one.store.executions()).toEqual([]);
  });
});

describe('a document that was removed without its schedules', () => {
  /** The state after a server died in between. Its clock was ahead. */
  const orphan = async () => {
    await register(HOURLY);
    const { records } = one.store;
    const { value, version } = (await records.get(SCHEDULES, 'jobs.tidy'))!;
    const document = { ...(value as { document: JsonObject }).document, registered_at: now + 3_600_000 };
    await records.put(SCHEDULES, 'jobs.tidy', { ...(value as JsonObject), document }, version);
    await records.remove('documents', 'jobs/tidy');
    expect(await ids()).toEqual(['jobs.tidy']);
  };

  it('loses them when it is removed again', async () => {
    await orphan();
    expect((await one.call('DELETE', '/v1/documents/jobs%2Ftidy')).status).toBe(404);
    expect(await ids()).toEqual([]);
  });

  it('starts nothing when one is due, and loses them then', async () => {
    await orphan();
    const { body } = await one.call('POST', '/v1/schedules/jobs.tidy/run');
    expect(body).toMatchObject({ state: 'failed', note: 'no document is registered under "jobs/tidy"' });
    expect(await ids()).toEqual([]);
    expect(await one.store.executions()).toEqual([]);
  });

  it('keeps schedules that people created', async () => {
    await register('');
    await one.call('POST', '/v1/schedules', { schedule_id: 'mine', path: 'jobs/tidy', cron: '@daily' });
    await one.call('DELETE', '/v1/documents/jobs%2Ftidy');
    const { body } = await one.call('POST', '/v1/schedules/mine/run');
    expect(body).toMatchObject({ state: 'failed', note: 'no document is registered under "jobs/tidy"' });
    expect(await ids()).toEqual(['mine']);
  });
});

/** After two servers register versions at once, the schedules are those of the newest version. */
async function race(stores: readonly SharedStore[]): Promise<void> {
  const servers = await Promise.all(stores.map((store) => calledServer({ store })));
  const texts = [
    tidy('[{cron: "@daily"}, {name: a, cron: "@hourly"}]'),
    tidy('[{cron: "@weekly", payload: {region: us, days: 3}}, {name: b, cron: "@hourly"}]'),
    tidy(''),
  ];
  for (let round = 0; round < 3; round += 1) {
    const calls = servers.flatMap((server) =>
      texts.map((text) => server.call('POST', '/v1/documents', { text })),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 201));
    const [server] = servers;
    const { body } = await server!.call('GET', '/v1/documents/jobs%2Ftidy');
    const wanted = body.text === texts[0] ? ['', '.a'] : body.text === texts[1] ? ['', '.b'] : [];
    expect(await ids(server)).toEqual(wanted.map((name) => `jobs.tidy${name}`));
    if (body.text !== texts[1]) continue;
    const { body: kept } = await server!.call('GET', '/v1/schedules/jobs.tidy');
    expect(kept).toMatchObject({ cron: '@weekly', document: { version: body.version } });
  }
  expect(servers.flatMap(({ faults }) => faults)).toEqual([]);
}

/** A schedule that one server declared still matches the document for another, however the store encodes its values. */
async function runsElsewhere(stores: readonly SharedStore[]): Promise<void> {
  const [first, second] = await Promise.all(stores.map((store) => calledServer({ store })));
  const text = tidy('[{cron: "@weekly", payload: {region: us, days: -0}, priority: 2}]');
  await first!.call('POST', '/v1/documents', { text });
  const { body } = await second!.call('POST', '/v1/schedules/jobs.tidy/run');
  expect(body).toMatchObject({ state: 'started' });
}

describe('servers that register versions of one document at once', () => {
  it('agree on a store in memory', async () => {
    const store = new MemoryStore();
    await race([store, store]);
  });

  it('agree on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'woof-declared-'));
    const store = new SqliteStore(join(folder, 'woof.db'));
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
    await race([store, store]);
    await runsElsewhere([store, store]);
  });
});

describeUnless(postgresReason())('servers on one Postgres that register versions of one document', () => {
  it('agree, and find unchanged what the other wrote when it is due', async () => {
    const postgres = await startPostgres({ settings: { fsync: 'off' } });
    const opened = await Promise.all([0, 1].map(() => openPostgres(postgres.url(), { connections: 3 })));
    onTestFinished(async () => {
      await Promise.all(opened.map((each) => each.close()));
      await postgres.dispose();
    });
    const stores = opened.map(({ store }) => store);
    await race(stores);
    await runsElsewhere(stores);
  });
});
