/** The host over plain HTTP: who gets a response, and which one. `e2e/workbook/` tests how browsers behave. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Grants } from './grants.ts';
import { KeptValues } from './kept-values.ts';
import { openWorkbook } from './open-workbook.ts';
import { type Page, readPage } from './read-page.ts';
import type { Running } from './shell-api.ts';
import { workbookLabel } from './workbook-label.ts';

const folder = mkdtempSync(join(tmpdir(), 'woof-host-'));
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  rmSync(folder, { recursive: true, force: true });
});

const HTML = '<!doctype html><meta name="wb-permissions" content="net,storage,env"><p>hello';
const key = Buffer.alloc(32, 1);

async function open(html = HTML) {
  const page = readPage(Buffer.from(html)) as Page;
  const place = mkdtempSync(join(folder, 'place-'));
  const opened = {
    page,
    keeper: 'here',
    env: { A: '</script><b>', __proto__: 'never' },
    grants: new Grants(place, () => key),
    kept: new KeptValues(place),
  };
  const host = await openWorkbook({ opened, script: 'void 0', port: 0 });
  closing.push(host.close);
  const { port, pathname: base, host: shell, origin } = new URL(host.url);
  const ask = (path: string, { method = 'GET', host: name = shell, headers = {}, body = '' }: Asked = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path, method, headers: { ...headers, host: name } },
        (got) => {
          let text = '';
          got.on('data', (chunk) => {
            text += String(chunk);
          });
          got.on('end', () => resolve({ status: got.statusCode!, headers: got.headers, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const call = async (name: string, body: unknown) => {
    const got = await ask(`${base}api/${name}`, {
      method: 'POST',
      headers: { origin },
      body: JSON.stringify(body),
    });
    return { status: got.status, body: JSON.parse(got.text) };
  };
  const frameHost = `box.${workbookLabel(page.hash)}.localhost:${port}`;
  return { page, base, origin, ask, call, frameHost, port, shell, opened };
}

interface Asked {
  method?: string;
  host?: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

const FRAME = { headers: { 'sec-fetch-dest': 'iframe' } };

describe('the host of a workbook', () => {
  it('answers only to its own name', async () => {
    const { ask, base, port } = await open();
    expect((await ask(base)).status).toBe(200);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1:${port}`,
      `localhost.evil.example:${port}`,
    ])
      expect((await ask(base, { host })).status).toBe(421);
  });

  it('shows nothing to a caller that does not know the token', async () => {
    const { ask, base } = await open();
    const other = base.at(-2) === 'x' ? 'y' : 'x';
    const paths = [
      '/',
      '/x/',
      '/x/api/facts',
      base.slice(0, -2),
      `${base.slice(0, -2)}${other}/`,
      `/x${base}`,
    ];
    for (const path of paths) expect((await ask(path)).status).toBe(404);
  });

  it('accepts calls only from its own page', async () => {
    const { ask, base, origin } = await open();
    const post = (headers: Record<string, string>) =>
      ask(`${base}api/grant`, { method: 'POST', headers, body: '{"permissions":[]}' });
    expect((await post({ origin })).status).toBe(200);
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({ origin: 'http://localhost:1' })).status).toBe(403);
    expect((await post({ origin, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask(`${base}api/facts`, { headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403);
    expect((await ask(base, { headers: { 'sec-fetch-dest': 'iframe' } })).status).toBe(403);
  });

  it('serves a document by ticket, in a frame, on its own origin', async () => {
    const { ask, call, frameHost, port, shell } = await open();
    expect((await call('run', {})).body.error.code).toBe('consent');
    await call('grant', { permissions: ['storage', 'clipboard', 'nonsense'] });
    const running = (await call('run', {})).body as Running;
    expect(running.granted).toEqual(['storage']);
    const { host, pathname } = new URL(running.url);
    expect(host).toBe(frameHost);
    expect((await ask(pathname, { host, ...FRAME })).text).toContain('<p>hello');
    expect((await ask(pathname, { host })).status).toBe(403);
    expect((await ask('/', { host, ...FRAME })).status).toBe(404);
    expect((await ask(pathname, { host: `other.${shell}`, ...FRAME })).status).toBe(404);
    expect((await ask(pathname, { host: `${'0'.repeat(50)}.localhost:${port}`, ...FRAME })).status).toBe(421);
    expect(
      (
        await ask(pathname, {
          host,
          headers: { 'service-worker': 'script', 'sec-fetch-dest': 'serviceworker' },
        })
      ).status,
    ).toBe(403);
    await call('revoke', {});
    expect((await ask(pathname, { host, ...FRAME })).status).toBe(404);
  });

  it('derives the policy from what was granted, not from what is requested', async () => {
    const { ask, call } = await open();
    const policyWith = async (permissions: string[]) => {
      await call('grant', { permissions });
      const { host, pathname } = new URL(((await call('run', {})).body as Running).url);
      return (await ask(pathname, { host, ...FRAME })).headers;
    };
    const closed = await policyWith([]);
    expect(closed['content-security-policy']).not.toMatch(/https:|http:\/\/(?!\w{50}\.localhost:)|\*/);
    expect(closed['connection-allowlist']).toBe('(response-origin)');
    const open_ = await policyWith(['net']);
    expect(open_['content-security-policy']).toMatch(/connect-src [^;]*https: wss:/);
    expect(open_['content-security-policy']).toMatch(/script-src 'unsafe-inline' 'unsafe-eval' blob:;/);
    for (const headers of [closed, open_]) {
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toMatch(
        /; form-action 'none'; .*sandbox allow-scripts allow-forms$/,
      );
    }
  });

  it('makes the browser send no reports, whatever it answers and whatever the page says', async () => {
    const tag = `<meta name="wb-permissions" content="net; report-uri https://a.example; report-to b, storage">`;
    const { ask, call, base, shell } = await open(`<!doctype html>${tag}<title>\r\nNEL: {}</title><p>hello`);
    await call('grant', { permissions: ['net', 'storage'] });
    const { host, pathname } = new URL(((await call('run', {})).body as Running).url);
    const answers = await Promise.all([
      ask(base),
      ask('/'),
      ask(`${base}api/facts`),
      ask(pathname, { host, ...FRAME }),
      ask(pathname, { host }),
      ask('/', { host: `probe.${shell}` }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 403, 200]);
    for (const { headers } of answers)
      expect(JSON.stringify(headers)).not.toMatch(/report|"nel"|a\.example/i);
  });

  it('embeds values in the document so that none of them ends the script', async () => {
    const { ask, call } = await open();
    await call('grant', { permissions: ['env'] });
    const running = (await call('run', {})).body as Running;
    const { host, pathname } = new URL(running.url);
    const { text } = await ask(pathname, { host, ...FRAME });
    expect(text).toContain('WB_ENV');
    expect(text.slice(0, text.indexOf('<p>hello')).match(/<\/script>/g)).toHaveLength(1);
    expect(running.env).toEqual({ A: '</script><b>' });
  });

  it('keeps values only for its own ticket, and answers bad calls', async () => {
    const { call, base, ask, origin } = await open();
    await call('grant', { permissions: ['storage'] });
    const { ticket } = (await call('run', {})).body as Running;
    const persist = (call_: unknown, args: unknown, by: unknown = ticket) =>
      call('persist', { ticket: by, call: call_, args }).then(
        ({ body }) => body.error?.code ?? body.value ?? 'ok',
      );
    expect(await persist('persist.set', ['a', '1'])).toBe('ok');
    expect(await persist('persist.get', ['a'])).toBe('1');
    expect(await persist('persist.get', ['a'], 'another')).toBe('denied');
    expect(await persist('persist.get', [1])).toBe('invalid');
    expect(await persist('persist.clear', [])).toBe('invalid');
    expect(await persist('persist.get', 'a')).toBe('invalid');
    expect(await persist('persist.set', ['k'.repeat(1001), '1'])).toBe('invalid');
    expect((await call('constructor', {})).body.error.code).toBe('invalid');
    const broken = await ask(`${base}api/run`, { method: 'POST', headers: { origin }, body: '{' });
    expect(JSON.parse(broken.text).error.code).toBe('invalid');
  });
});

describe('kept values', () => {
  const limits = { keyLength: 10, valueBytes: 10, keys: 3, bytes: 100 };
  const hash = 'a'.repeat(64);
  const place = () => new KeptValues(mkdtempSync(join(folder, 'kept-')), limits);

  it('are limited in size and number, even if many are written at once', async () => {
    const kept = place();
    expect(() => kept.set(hash, 'a', 'x'.repeat(11))).toThrow('at most 10 bytes');
    const written = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) => kept.set(hash, name, '1')),
    );
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await kept.keys(hash)).toEqual(['a', 'b', 'c']);
    await kept.set(hash, 'a', '2');
    expect(await kept.get(hash, 'a')).toBe('2');
  });
});

describe('readPage', () => {
  it.each([
    ['UTF-8 with a mark', Buffer.from('\uFEFF<p>naïve'), '<p>naïve'],
    ['UTF-16', Buffer.from('\uFEFF<p>naïve', 'utf16le'), '<p>naïve'],
    ['Latin 1', Buffer.from('<p>naïve', 'latin1'), '<p>naïve'],
    [
      'what it says',
      Buffer.from([...Buffer.from('<meta charset=koi8-r><p>'), 0xc1]),
      '<meta charset=koi8-r><p>а',
    ],
    ['what nobody knows', Buffer.from('<meta charset=none><p>ï', 'latin1'), '<meta charset=none><p>ï'],
  ])('reads %s', (_, bytes, text) => {
    expect(readPage(bytes)).toMatchObject({ text });
  });

  it('says what it cannot read', () => {
    expect(readPage(Buffer.from('x'.repeat(100)))).toMatchObject({
      what: expect.stringContaining('not HTML'),
    });
  });
});
