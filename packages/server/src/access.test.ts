/** Tokens, secrets, limits and the audit log. */

import { Client } from '@woof/client';
import { MemoryStore } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { Tokens } from './access/tokens.ts';
import { ONE_STEP, testServer, until } from './fixtures/test-server.ts';

describe('tokens', () => {
  it('are created, used, listed without secrets, and revoked', async () => {
    const test = await testServer();
    const admin = test.as('admin');
    const made = await admin.call('tokens.create', { body: { name: 'ci', role: 'operator' } });
    const ci = new Client({ url: test.url, token: made.token });
    expect(await ci.call('me.get')).toEqual({ id: made.id, name: 'ci', role: 'operator' });
    const { tokens } = await admin.call('tokens.list');
    expect(tokens.find(({ id }) => id === made.id)).toMatchObject({ name: 'ci', role: 'operator' });
    const secret = made.token.split(`_${made.id}_`)[1]!;
    expect(secret).not.toBe('');
    expect(JSON.stringify([tokens, await test.store.records.list('tokens')])).not.toContain(secret);
    await admin.call('tokens.revoke', { params: { id: made.id } });
    await expect(ci.call('me.get')).rejects.toMatchObject({ code: 'auth/wrong' });
  });

  it('the first admin token is created once per store, however many servers start on it', async () => {
    const { records } = new MemoryStore();
    let now = Date.now();
    const make = () => new Tokens(records, () => now).createFirstAdmin('first', 'the server');
    const made = await Promise.all([make(), make(), make()]);
    expect(made.filter((token) => token !== undefined)).toHaveLength(1);
    expect(await make()).toBeUndefined();
    const tokens = new Tokens(records, () => now);
    for (const { id } of await tokens.list()) await tokens.revoke(id);
    await tokens.create({ name: 'brief', role: 'admin', expires_in_s: 60 }, '');
    expect(await make()).toBeUndefined();
    now += 61_000;
    expect(await make()).toBeDefined();
  });

  it('end when they expire', async () => {
    let now = Date.now();
    const test = await testServer({ now: () => now });
    const body = { name: 'brief', role: 'viewer' as const, expires_in_s: 60 };
    const { token } = await test.as('admin').call('tokens.create', { body });
    const brief = new Client({ url: test.url, token });
    expect(await brief.call('me.get')).toMatchObject({ name: 'brief' });
    now += 61_000;
    await expect(brief.call('me.get')).rejects.toMatchObject({ code: 'auth/wrong' });
  });
});

describe('limits', () => {
  it('a token that calls too often must wait; another need not', async () => {
    let now = Date.now();
    const test = await testServer({ perSecond: 2, now: () => now });
    const viewer = test.as('viewer');
    for (let call = 0; call < 4; call++) await viewer.call('me.get');
    await expect(viewer.call('me.get')).rejects.toMatchObject({ code: 'request/too-many', status: 429 });
    expect(await test.as('operator').call('me.get')).toMatchObject({ role: 'operator' });
    for (let call = 0; call < 20; call++) await test.as('worker').call('me.get');
    now += 500;
    expect(await viewer.call('me.get')).toMatchObject({ role: 'viewer' });
  });

  it('a caller that guesses tokens is slowed down', async () => {
    const test = await testServer({ strangersPerSecond: 2, now: () => 0 });
    const stranger = new Client({ url: test.url, token: 'woof_0123456789_guess' });
    const codes = [];
    for (let call = 0; call < 6; call++)
      codes.push(await stranger.call('me.get').catch(({ code }) => code as string));
    expect(codes).toEqual([...Array(4).fill('auth/wrong'), 'request/too-many', 'request/too-many']);
  });
});

describe('strangers cannot use up', () => {
  const GUESS = `woof_0123456789_${'x'.repeat(43)}`;

  it('the health checks, however often anyone calls', async () => {
    const test = await testServer({ strangersPerSecond: 1, now: () => 0 });
    const ask = async (path: string) => (await fetch(`${test.url}${path}`)).status;
    for (let call = 0; call < 10; call++)
      expect([await ask('/healthz'), await ask('/readyz')]).toEqual([200, 200]);
    const others = [];
    for (let call = 0; call < 4; call++) others.push(await ask('/openapi.json'));
    expect(others).toEqual([200, 200, 429, 429]);
  });

  it('store lookups: guesses beyond the limit cause none, and known tokens still work', async () => {
    const store = new MemoryStore();
    const asked: string[] = [];
    const { get } = store.records;
    const test = await testServer({ store, strangersPerSecond: 1, now: () => 0 });
    store.records.get = (collection, key) => {
      if (collection === 'tokens') asked.push(key);
      return get.call(store.records, collection, key);
    };
    for (let call = 0; call < 5; call++) await test.as('viewer').call('me.get');
    asked.length = 0;
    for (let call = 0; call < 9; call++) {
      const token = GUESS.replace('0123456789', `012345678${call}`);
      await new Client({ url: test.url, token }).call('me.get').catch(() => {});
    }
    expect(asked).toHaveLength(2);
    expect(await test.as('viewer').call('me.get')).toMatchObject({ role: 'viewer' });
  });
});

describe('secrets', () => {
  it('are sealed, listed by name, and opened only for tasks', async () => {
    const test = await testServer();
    const admin = test.as('admin');
    await admin.call('secrets.put', { params: { name: 'db' }, body: { fields: { password: 'hunter2' } } });
    expect(await admin.call('secrets.list')).toMatchObject({
      secrets: [{ name: 'db', fields: ['password'] }],
    });
    const stored = await test.store.records.list('secrets');
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    const { secrets } = test.server.parts;
    expect(await secrets.open('db')).toEqual({ password: 'hunter2' });
    await test.store.records.put('secrets', 'moved', stored[0]!.value);
    await expect(secrets.open('moved')).rejects.toThrow();
    await admin.call('secrets.remove', { params: { name: 'db' } });
    expect(await secrets.open('db')).toBeUndefined();
  });
});

describe('audit', () => {
  it('records who changed what, newest first, but no reads or refusals', async () => {
    const test = await testServer();
    const operator = test.as('operator');
    const { execution_id: id } = await operator.call('executions.start', { body: { text: ONE_STEP } });
    await operator.call('executions.get', { params: { id } });
    await operator.call('tokens.list').catch(() => {});
    await operator.call('executions.cancel', { params: { id }, body: {} });
    await operator.call('executions.cancel', { params: { id }, body: {} }).catch(() => {});
    const admin = test.as('admin');
    await until('both are written', async () => (await admin.call('audit.list')).entries.length >= 2);
    const { entries } = await admin.call('audit.list');
    expect(entries).toMatchObject([
      { what: 'executions.cancel', who: expect.stringMatching(/ operator$/), target: id, status: 200 },
      { what: 'executions.start', role: 'operator', from: '127.0.0.1', status: 201, target: id },
    ]);
    const made = await admin.call('tokens.create', { body: { name: 'ci', role: 'viewer' } });
    await until('that is written', async () => (await admin.call('audit.list')).entries.length >= 3);
    const [newest] = (await admin.call('audit.list')).entries;
    expect(newest).toMatchObject({ what: 'tokens.create', target: made.id });
    expect(JSON.stringify(newest)).not.toContain(made.token);
    const page = await admin.call('audit.list', { query: { limit: 2 } });
    expect(await admin.call('audit.list', { query: { before: page.next } })).toMatchObject({
      entries: [{ what: 'executions.start' }],
    });
  });

  it('does not record dry runs, which only some calls have', async () => {
    const test = await testServer();
    const [operator, admin] = [test.as('operator'), test.as('admin')];
    const text = ONE_STEP.replace(/^metadata:.*$/m, 'metadata: {name: one, path: demo/one}');
    const { path } = await operator.call('documents.register', { body: { text } });
    const { execution_id: id } = await operator.call('executions.start', { body: { path } });
    await operator.call('schedules.create', { body: { schedule_id: 'hourly', path, cron: '@hourly' } });
    const span = { since: Date.now() - 7_200_000, until: Date.now() - 1000 };
    for (const dry_run of [true, false]) {
      await operator.call('executions.rerun', { params: { id }, body: { dry_run } });
      await operator.call('schedules.backfill', { params: { id: 'hourly' }, body: { ...span, dry_run } });
    }
    await fetch(`${test.url}/v1/schedules/hourly/pause`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.tokens.operator}`, 'content-type': 'application/json' },
      body: JSON.stringify({ dry_run: true }),
    });
    const told = async () => {
      const { entries } = await admin.call('audit.list');
      return entries.map(({ what, status }) => `${what} ${status}`).toSorted();
    };
    await until('all are written', async () => (await told()).length >= 6);
    expect(await told()).toEqual([
      'documents.register 201',
      'executions.rerun 201',
      'executions.start 201',
      'schedules.backfill 202',
      'schedules.create 201',
      'schedules.pause 200',
    ]);
  });
});
