/** A browser that is logged in to Studio: what its own pages can do with the cookie, and what pages of others cannot. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit/unless';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ONE_STEP, type TestServer, testServer } from '../../packages/server/src/fixtures/test-server.ts';
import { ServerLog } from '../../packages/server/src/log/server-log.ts';
import { noBrowser, servePages, useBrowser } from '../workbook/browser.ts';

const INDEX = `<!doctype html><title>Studio</title><link rel="icon" href="data:,"><p id="who">…</p><script type="module" src="/studio/main-01234567.js"></script>`;
const SCRIPT = `
const [, code] = /#code=(.+)/.exec(location.hash) ?? [];
history.replaceState(null, '', location.pathname);
const headers = { 'content-type': 'application/json' };
if (code) await fetch('/v1/login', { method: 'POST', headers, body: JSON.stringify({ code }) });
const { role, code: problem } = await (await fetch('/v1/me')).json();
document.querySelector('#who').textContent = role ?? problem;
`;

/** Everything that a page can try against another origin. Returns what it could read of the answers. */
const ATTACK = `async (target, run) => {
  const body = JSON.stringify({ text: ${JSON.stringify(ONE_STEP)} });
  const read = [];
  const get = (path, more) => fetch(target + path, { credentials: 'include', ...more })
    .then(async (answer) => { const text = await answer.text(); if (text) read.push(text); })
    .catch(() => {});
  const loaded = (element, address, attribute = 'src') => new Promise((done) => {
    element.onload = element.onerror = () => done();
    element[attribute] = target + address;
    document.body.append(element);
  });
  const submitted = (enctype) => new Promise((done) => {
    const frame = Object.assign(document.createElement('iframe'), { name: enctype });
    const form = Object.assign(document.createElement('form'), {
      method: 'POST', action: target + '/v1/executions', target: enctype, enctype,
    });
    form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ', "x": "', value: '"}' }));
    document.body.append(frame, form);
    frame.onload = () => done();
    form.submit();
  });
  const streamed = () => new Promise((done) => {
    const stream = new EventSource(target + '/v1/executions/' + run + '/events', { withCredentials: true });
    stream.onmessage = ({ data }) => read.push(data);
    stream.onopen = () => read.push('the stream is open');
    stream.onerror = () => done(stream.close());
  });
  await get('/v1/me');
  await get('/v1/me', { mode: 'no-cors' });
  await get('/v1/executions', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await get('/v1/executions', { method: 'POST', mode: 'no-cors', body });
  await get('/v1/logout', { method: 'POST', mode: 'no-cors' });
  await submitted('text/plain');
  await submitted('application/x-www-form-urlencoded');
  await loaded(document.createElement('img'), '/v1/me');
  await loaded(document.createElement('script'), '/v1/me');
  await loaded(Object.assign(document.createElement('link'), { rel: 'stylesheet' }), '/v1/me', 'href');
  await streamed();
  return read;
}`;

/** A server without any of these defences: it sees what browsers send it by themselves. */
async function careless() {
  const seen: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    if (headers.cookie?.includes('__Host-woof=')) seen.push(`${method} ${url}`);
    const cookie = `__Host-woof=${'A'.repeat(43)}; Path=/; Secure; HttpOnly; SameSite=Strict`;
    response.writeHead(200, {
      'content-type': 'text/html',
      ...(url === '/' ? { 'set-cookie': cookie } : {}),
    });
    response.end('<p>careless</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, seen, close: () => server.close() };
}

describeUnless(noBrowser)('a browser that is logged in', () => {
  const browser = useBrowser();
  const ends: (() => void | Promise<void>)[] = [];
  const lines: string[] = [];
  let test: TestServer;
  /** The origin as the user calls it. */
  let origin = '';
  let run = '';
  let operator = '';
  let evil: Awaited<ReturnType<typeof servePages>>;
  let control: Awaited<ReturnType<typeof careless>>;

  beforeAll(async () => {
    const studio = mkdtempSync(join(tmpdir(), 'woof-studio-'));
    ends.unshift(() => rmSync(studio, { recursive: true, force: true }));
    writeFileSync(join(studio, 'index.html'), INDEX);
    writeFileSync(join(studio, 'main-01234567.js'), SCRIPT);
    const log = new ServerLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
    const workbooks = {
      domain: 'wb.localhost',
      script: '',
      folder: join(studio, 'wb'),
      key: Buffer.alloc(32),
    };
    test = await testServer({ studio, log, workbooks }, (end) => ends.unshift(end));
    origin = test.url.replace('127.0.0.1', 'localhost');
    ({ execution_id: run } = await test.as('admin').call('executions.start', { body: { text: ONE_STEP } }));
    ({ id: operator } = await test.as('operator').call('me.get'));
    evil = await servePages({ '/': '<title>evil</title>', '/frame': '<iframe></iframe>' });
    control = await careless();
  });
  afterAll(async () => {
    await evil?.close();
    control?.close();
    for (const end of ends) await end();
  });

  /** A profile of an operator, by the link that `woof server link` prints. */
  async function loggedIn(at = origin): Promise<BrowserContext> {
    const profile = await browser.newProfile();
    const since = lines.length;
    const { code } = await test.as('operator').call('login.code');
    const { page, errors } = await browser.visit(`${at}/#code=${code}`, profile);
    await page.getByText('operator').waitFor();
    // An answer may reach the page before its line is written.
    await expect.poll(() => granted(since)).toContain('me.get');
    expect([page.url(), errors]).toEqual([`${at}/`, []]);
    return profile;
  }

  /** The operator's calls that the server answered with success since the log had this many lines. */
  const granted = (since: number) =>
    lines
      .slice(since)
      .map((line) => JSON.parse(line) as { call?: string; status?: number; token_id?: string })
      .filter(({ token_id, status = 0 }) => token_id === operator && status < 400)
      .map(({ call }) => call);

  it.each(['localhost', '127.0.0.1'])('stays logged in when it returns, at %s', async (host) => {
    const at = test.url.replace('127.0.0.1', host);
    const profile = await loggedIn(at);
    const { page } = await browser.visit(`${at}/runs`, profile);
    await page.getByText('operator').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await profile.cookies(at);
    expect(cookie).toMatchObject({ name: '__Host-woof', httpOnly: true, secure: true, sameSite: 'Strict' });
    const stranger = await browser.visit(at);
    await stranger.page.getByText('auth/missing').waitFor();
  });

  it('does for its own pages what it does for nobody else', async () => {
    const { page } = await browser.visit(origin, await loggedIn());
    const since = lines.length;
    const post = `fetch('/v1/executions', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify({ text: ONE_STEP }))},
    }).then((answer) => answer.status)`;
    expect(await page.evaluate(post)).toBe(201);
    const heard = `new Promise((done, failed) => {
      const stream = new EventSource('/v1/executions/${run}/events');
      stream.onmessage = stream.onopen = () => done(stream.close());
      stream.onerror = failed;
    })`;
    await page.evaluate(heard);
    await expect.poll(() => granted(since)).toContain('executions.start');
  });

  it.each([
    ['another port of the machine', 'localhost'],
    ['another site', '127.0.0.1'],
  ])('gives nothing to pages of %s', async (_, host) => {
    const profile = await loggedIn();
    const { page } = await browser.visit(evil.origin.replace('localhost', host), profile);
    const before = (await test.as('viewer').call('executions.list')).executions.length;
    const since = lines.length;
    expect(await page.evaluate(`(${ATTACK})(${JSON.stringify(origin)}, ${JSON.stringify(run)})`)).toEqual([]);
    await expect
      .poll(() => lines.slice(since).filter((line) => line.includes('executions.events')))
      .not.toEqual([]);
    expect(granted(since)).toEqual([]);
    expect((await test.as('viewer').call('executions.list')).executions).toHaveLength(before);
    const { page: own } = await browser.visit(`${origin}/runs`, profile);
    await own.getByText('operator').waitFor();
  });

  it('would give all of it to the page of another port, if only the browser took care', async () => {
    const profile = await browser.newProfile();
    await browser.visit(control.origin, profile);
    const { page } = await browser.visit(evil.origin, profile);
    control.seen.length = 0;
    await page.evaluate(`(${ATTACK})(${JSON.stringify(control.origin)}, ${JSON.stringify(run)})`);
    const calls = [
      'GET /v1/me',
      'POST /v1/executions',
      'POST /v1/logout',
      `GET /v1/executions/${run}/events`,
    ];
    expect(control.seen).toEqual(expect.arrayContaining(calls));
    expect(control.seen.filter((call) => call === 'POST /v1/executions')).toHaveLength(3);
    expect(control.seen.filter((call) => call === 'GET /v1/me')).toHaveLength(5);
  });

  it('shows Studio in no frame of another page', async () => {
    const profile = await loggedIn();
    const { page } = await browser.visit(`${evil.origin}/frame`, profile);
    const shown = async (address: string) => {
      await page.evaluate(`new Promise((done) => {
        const frame = document.querySelector('iframe');
        frame.onload = () => done();
        frame.src = ${JSON.stringify(address)};
      })`);
      return page.frames()[1]!.url();
    };
    expect(await shown(`${control.origin}/`)).toBe(`${control.origin}/`);
    for (const path of ['/', '/runs', '/v1/me']) expect(await shown(origin + path)).toMatch(/^chrome-error:/);
  });

  it('brings the cookie to no workbook, and workbooks do not take it', async () => {
    const profile = await loggedIn();
    const workbook = origin.replace('localhost', 'abc.wb.localhost');
    expect(await profile.cookies(origin)).toHaveLength(1);
    expect(await profile.cookies(workbook)).toEqual([]);
    const page = await profile.newPage();
    expect((await page.goto(`${workbook}/v1/me`))?.status()).toBe(404);
    const [{ value = '' } = {}] = await profile.cookies(origin);
    const headers = { cookie: `__Host-woof=${value}`, origin: test.url };
    const facts = `/workbooks/${'0'.repeat(64)}/api/facts`;
    expect((await fetch(`${test.url}${facts}`, { headers })).status).toBe(401);
    const authorization = `Bearer ${test.tokens.viewer}`;
    expect((await fetch(`${test.url}${facts}`, { headers: { ...headers, authorization } })).status).toBe(404);
    expect((await fetch(`${test.url}/v1/me`, { headers })).status).toBe(200);
  });
});
