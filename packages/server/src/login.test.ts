/** Browsers that log in: sessions, codes, and logins that fail. */
import { Client } from '@woof/client';
import { MemoryStore } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { cookieOf, type Headers, JSON_TYPE, logIn, me, send } from './fixtures/login-calls.ts';
import { ONE_STEP, type TestServer, testServer, until } from './fixtures/test-server.ts';
import { ServerLog } from './log/server-log.ts';
import { Retention } from './retention.ts';

const DAY_MS = 86_400_000;
const SESSION = /^__Host-woof=([\w-]{43})$/;

const codeOf = async (server: TestServer) => (await server.as('viewer').call('login.code')).code;
const idsIn = (cookie: string) => cookie.replace('__Host-woof=', '').split('.');

/** The stream of a run in progress. Resolves when the server ends it. */
async function listen(
  server: TestServer,
  headers: Headers,
): Promise<{ status: number; ended: () => boolean }> {
  const { execution_id: id } = await server
    .as('admin')
    .call('executions.start', { body: { text: ONE_STEP } });
  const accept = { accept: 'text/event-stream', ...headers };
  const response = await fetch(`${server.url}/v1/executions/${id}/events`, { headers: accept });
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  let isOver = false;
  void response.text().then(() => {
    isOver = true;
  });
  return { status: response.status, ended: () => isOver };
}

describe('a session', () => {
  it('begins with a token, is a cookie that no script or other site can read, and ends with logout', async () => {
    const test = await testServer();
    const { status, body, cookie = '' } = await logIn(test, { token: test.tokens.viewer });
    const { id, name } = await test.as('viewer').call('me.get');
    expect([status, body]).toEqual([200, { id, name, role: 'viewer' }]);
    const [value = '', ...attributes] = cookie.split('; ');
    expect(value).toMatch(SESSION);
    expect(attributes).toEqual(['Max-Age=2592000', 'Path=/', 'Secure', 'HttpOnly', 'SameSite=Strict']);
    expect(await me(test, value)).toMatchObject({ status: 200, body: { role: 'viewer' } });
    const stream = await listen(test, { cookie: value });
    expect(stream).toMatchObject({ status: 200 });
    const out = await send(test, 'POST', '/v1/logout', { cookie: value, origin: test.url });
    expect([out.status, out.cookie]).toEqual([
      204,
      '__Host-woof=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict',
    ]);
    expect(await me(test, value)).toMatchObject({ status: 401, body: { code: 'auth/wrong' } });
    await until('its stream ends', stream.ended);
  });

  it('ends with its token, and so do its streams', async () => {
    const test = await testServer();
    const { id, token } = await test
      .as('admin')
      .call('tokens.create', { body: { name: 'ada', role: 'viewer' } });
    const cookie = await cookieOf(test.url, { token });
    const stream = await listen(test, { cookie });
    expect([stream.status, (await me(test, cookie)).status]).toEqual([200, 200]);
    await test.as('admin').call('tokens.revoke', { params: { id } });
    expect((await me(test, cookie)).status).toBe(401);
    await until('its stream ends', stream.ended);
  });

  it('ends after 30 days, and when its token expires', async () => {
    let now = Date.now();
    const test = await testServer({ now: () => now });
    const body = { name: 'brief', role: 'viewer' as const, expires_in_s: 60 };
    const brief = await test.as('admin').call('tokens.create', { body });
    const cookies = [
      await cookieOf(test.url, { token: test.tokens.viewer }),
      await cookieOf(test.url, { token: brief.token }),
    ];
    const both = () => Promise.all(cookies.map(async (cookie) => (await me(test, cookie)).status));
    expect(await both()).toEqual([200, 200]);
    now += 61_000;
    expect(await both()).toEqual([200, 401]);
    now += 30 * DAY_MS - 61_001;
    expect(await both()).toEqual([200, 401]);
    now += 1;
    expect(await both()).toEqual([401, 401]);
  });

  it('survives a restart, and works on every server of a store', async () => {
    const store = new MemoryStore();
    const [one, two] = [await testServer({ store }), await testServer({ store })];
    const cookie = await cookieOf(one.url, { token: one.tokens.operator });
    expect(await me(two, cookie)).toMatchObject({ status: 200, body: { role: 'operator' } });
    await one.stop();
    expect((await me(await testServer({ store }), cookie)).status).toBe(200);
  });

  it('is not affected by other servers, which share the cookie', async () => {
    const servers = [];
    for (let count = 0; count < 6; count++) servers.push(await testServer());
    const [first, second] = servers as [TestServer, TestServer];
    const ofFirst = await cookieOf(first.url, { token: first.tokens.viewer });
    expect(await me(second, ofFirst)).toMatchObject({ status: 401, body: { code: 'auth/wrong' } });
    const both = await cookieOf(second.url, { token: second.tokens.admin }, ofFirst);
    expect(idsIn(both)).toEqual([expect.any(String), ...idsIn(ofFirst)]);
    expect((await me(first, both)).body.role).toBe('viewer');
    expect((await me(second, both)).body.role).toBe('admin');
    const { cookie: left = '' } = await send(second, 'POST', '/v1/logout', {
      cookie: both,
      origin: second.url,
    });
    expect(left.split(';')[0]).toBe(ofFirst);
    let all = ofFirst;
    for (const { url, tokens } of servers.slice(1)) all = await cookieOf(url, { token: tokens.viewer }, all);
    expect(idsIn(all)).toHaveLength(5);
    expect((await me(servers[5]!, all)).status).toBe(200);
    expect((await me(first, all)).status).toBe(401);
  });

  it('always has a new id: a planted id gives no access, and the earlier session ends', async () => {
    const test = await testServer();
    const planted = `__Host-woof=${'A'.repeat(43)}`;
    const old = await cookieOf(test.url, { token: test.tokens.viewer });
    const cookie = await cookieOf(test.url, { token: test.tokens.admin }, `${old}.${'A'.repeat(43)}`);
    expect((await me(test, cookie)).body.role).toBe('admin');
    expect([(await me(test, planted)).status, (await me(test, old)).status]).toEqual([401, 401]);
  });

  it('is stored as a hash, and is removed when it has ended', async () => {
    const test = await testServer();
    const code = await codeOf(test);
    const cookie = await cookieOf(test.url, { token: test.tokens.viewer });
    const kept = async () => [
      ...(await test.store.records.list('sessions')),
      ...(await test.store.records.list('login-codes')),
    ];
    expect(await kept()).toHaveLength(2);
    for (const secret of [code, ...idsIn(cookie)]) expect(JSON.stringify(await kept())).not.toContain(secret);
    for (const [days, left] of [
      [1, 1],
      [31, 0],
    ] as const) {
      const retention = new Retention(test.store.records, () => Date.now() + days * DAY_MS);
      for (let piece = 0; piece < 20; piece++) await retention.clean();
      expect([days, (await kept()).length]).toEqual([days, left]);
    }
  });
});

describe('a code', () => {
  it('logs one browser in as the token that requested it', async () => {
    const test = await testServer();
    const { code, expires_at } = await test.as('operator').call('login.code');
    expect(code).toMatch(/^[\w-]{22}$/);
    expect(expires_at).toBeGreaterThan(Date.now());
    expect(await me(test, await cookieOf(test.url, { code }))).toMatchObject({ body: { role: 'operator' } });
    expect((await logIn(test, { code })).status).toBe(401);
  });

  it('is used once, even if several servers have read it before one uses it', async () => {
    const store = new MemoryStore();
    const servers = [await testServer({ store }), await testServer({ store })];
    const code = await codeOf(servers[0]!);
    const callers = [...servers, ...servers];
    const { get } = store.records;
    const held: (() => void)[] = [];
    store.records.get = async (collection, key) => {
      const found = await get.call(store.records, collection, key);
      if (collection === 'login-codes') {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          if (held.length === callers.length) for (const release of held) release();
        });
      }
      return found;
    };
    const answers = await Promise.all(callers.map((server) => logIn(server, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('ends after 15 minutes', async () => {
    let now = Date.now();
    const test = await testServer({ now: () => now });
    const [early, late] = [await codeOf(test), await codeOf(test)];
    now += 15 * 60_000 - 1;
    expect((await logIn(test, { code: early })).status).toBe(200);
    now += 1;
    expect((await logIn(test, { code: late })).status).toBe(401);
  });
});

describe('a login that fails', () => {
  it('does not reveal why, and changes nothing', async () => {
    const test = await testServer();
    const admin = test.as('admin');
    const { id, token } = await admin.call('tokens.create', { body: { name: 'gone', role: 'viewer' } });
    const { code: codeOfGone } = await new Client({ url: test.url, token }).call('login.code');
    const used = await codeOf(test);
    await logIn(test, { code: used });
    await admin.call('tokens.revoke', { params: { id } });
    const wrong = [
      { token },
      { token: 'x' },
      { token: '' },
      { code: used },
      { code: codeOfGone },
      { code: '' },
    ];
    const before = await cookieOf(test.url, { token: test.tokens.viewer });
    const answers = await Promise.all(wrong.map((body) => logIn(test, body, { cookie: before })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { code: 'auth/wrong' } });
    expect(answers[0]!.cookie).toBeUndefined();
    expect((await me(test, before)).status).toBe(200);
  });

  it("counts as a stranger's call", async () => {
    const test = await testServer({ strangersPerSecond: 1, now: () => 0 });
    const codes = [];
    for (let call = 0; call < 4; call++) codes.push((await logIn(test, { code: 'guess' })).body.code);
    expect(codes).toEqual(['auth/wrong', 'auth/wrong', 'request/too-many', 'request/too-many']);
    expect((await logIn(test, { token: test.tokens.admin })).status).toBe(429);
  });

  it('accepts secrets only in the body, and stores none of them', async () => {
    const lines: string[] = [];
    const log = new ServerLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
    const test = await testServer({ log });
    const code = await codeOf(test);
    const { admin } = test.tokens;
    for (const query of [`code=${code}`, `token=${admin}`])
      for (const body of [{}, { code: 'x' }])
        expect((await send(test, 'POST', `/v1/login?${query}`, JSON_TYPE, JSON.stringify(body))).status).toBe(
          400,
        );
    for (const path of [`/v1/me?token=${admin}`, `/v1/me?code=${code}`])
      expect((await send(test, 'GET', path, {})).status).toBe(401);
    expect((await logIn(test, { code: [code] })).status).toBe(400);
    expect((await logIn(test, { code, token: admin })).status).toBe(400);
    await send(test, 'GET', `/login?code=${code}`, { accept: 'text/html' });
    const { cookie = '' } = await logIn(test, { code });
    expect(cookie).not.toBe('');
    await until('all are told', () => lines.some((line) => line.includes('"login.start","status":200')));
    const { entries } = await test.as('admin').call('audit.list');
    const { id, name } = await test.as('viewer').call('me.get');
    const viewer = { who: `${id} ${name}`, role: 'viewer' };
    const told = entries.filter(({ what }) => what.startsWith('login.'));
    expect(told.map(({ what, who, role, target }) => ({ what, who, role, target }))).toEqual([
      { what: 'login.start', ...viewer, target: undefined },
      { what: 'login.code', ...viewer, target: undefined },
    ]);
    const session = SESSION.exec(cookie.split(';')[0]!)![1]!;
    for (const secret of [code, admin, session])
      expect(JSON.stringify([lines, entries])).not.toContain(secret);
  });
});
