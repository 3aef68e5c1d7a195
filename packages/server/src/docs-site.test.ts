import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder, testServer } from './fixtures/test-server.ts';

vi.mock('node:zlib', { spy: true });

const PAGES = {
  'index.html': '<h1>first</h1>',
  '404.html': '<h1>none</h1>',
  'tools/http.html': '<h1>http</h1>',
  'site.js': '1',
  'site.css': 'a{}',
  'icon.svg': '<svg/>',
  'search.json': '[]',
  'images/a.png': 'png',
  'examples/a.yaml': 'a: 1',
};

type OnEnd = NonNullable<Parameters<typeof testServer>[1]>;

async function siteOf(pages: Record<string, string | Buffer>, onEnd: OnEnd = onTestFinished) {
  const folder = join(temporaryFolder(onEnd), 'docs');
  for (const [name, text] of Object.entries(pages)) write(folder, name, text);
  const { url } = await testServer({ docs: folder, strangersPerSecond: 1 }, onEnd);
  return { folder, url: `${url}/docs`, port: Number(new URL(url).port) };
}

let site: Awaited<ReturnType<typeof siteOf>>;
const ends: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  site = await siteOf(PAGES, (end) => ends.unshift(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});

function write(folder: string, name: string, text: string | Buffer) {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

it('shows the files of the site to anyone, each with its content type', async () => {
  const { url } = site;
  const types = await Promise.all(
    Object.entries(PAGES).map(async ([name, text]) => {
      const response = await fetch(`${url}/${name}`);
      expect([response.status, await response.text()], name).toEqual([200, text]);
      return response.headers.get('content-type');
    }),
  );
  const html = 'text/html; charset=utf-8';
  expect(types).toEqual([
    ...[html, html, html, 'text/javascript; charset=utf-8', 'text/css; charset=utf-8'],
    ...['image/svg+xml', 'application/json', 'image/png', 'text/plain; charset=utf-8'],
  ]);
});

it('redirects /docs to the first page, and pages load and run only what the server has', async () => {
  const { url } = site;
  const response = await fetch(url);
  expect(response.url).toBe(`${url}/`);
  expect(await response.text()).toBe('<h1>first</h1>');
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await fetch(`${url}/api`)).headers.get('content-security-policy')).toContain('sha256-');
});

it('answers HEAD, 304 for a current file and 404 for a missing one', async () => {
  const { url } = site;
  const head = await fetch(`${url}/tools/http.html`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '13', '']);
  const etag = head.headers.get('etag')!;
  const conditional = (known: string) =>
    fetch(`${url}/tools/http.html`, { headers: { 'if-none-match': known } });
  const same = await conditional(`"other", ${etag}`);
  expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, '']);
  expect((await conditional('"other"')).status).toBe(200);
  expect(same.headers.get('cache-control')).toBe('no-cache');
  const missing = await fetch(`${url}/tools/gone.html`);
  expect([missing.status, await missing.text(), missing.headers.get('etag')]).toEqual([
    404,
    '<h1>none</h1>',
    null,
  ]);
  expect((await fetch(`${url}/index.html`, { method: 'POST' })).status).toBe(404);
});

/** Sends the path as written: `fetch` would remove the dots. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    asked.on('error', reject).end();
  });
}

it('serves no file outside the site', async () => {
  const { folder, port } = site;
  write(folder, '../secret.txt', 'secret');
  const ways = [
    '../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
    'tools/../../secret.txt',
    '..%5csecret.txt',
  ];
  const more = [
    `/${join(folder, '../secret.txt')}`,
    'tools/%00/../../../secret.txt',
    '%c0%ae%c0%ae/secret.txt',
  ];
  expect(await statusOf(port, '/docs/tools/http.html')).toBe(200);
  for (const way of [...ways, ...more]) {
    expect([400, 404], way).toContain(await statusOf(port, `/docs/${way}`));
  }
});

it('answers only to its own names, like every call', async () => {
  const { port } = site;
  const status = await new Promise((resolve) => {
    const headers = { host: 'evil.example.org' };
    request({ port, host: '127.0.0.1', path: '/docs/', headers }, ({ statusCode }) =>
      resolve(statusCode),
    ).end();
  });
  expect(status).toBe(403);
});

it('sends compressed files unchanged, and decompressed to clients that do not accept them', async () => {
  const { port, url } = await siteOf({ 'index.html.gz': gzipSync('<h1>first</h1>') });
  const response = await fetch(`${url}/`);
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('vary')).toBe('accept-encoding');
  expect(await response.text()).toBe('<h1>first</h1>');
  const unpacked = vi.mocked(gunzipSync).mock.calls.length;
  for (const accepted of [undefined, 'br', 'gzip;q=0', 'gzip; Q=0.000, *', 'not-gzip'])
    expect([accepted, ...(await firstPage(port, accepted))]).toEqual([accepted, undefined, '<h1>first</h1>']);
  expect(vi.mocked(gunzipSync).mock.calls.length - unpacked).toBe(1);
  for (const accepted of ['gzip;q=0.1', 'br, GZIP', 'x-gzip'])
    expect([accepted, (await firstPage(port, accepted))[0]]).toEqual([accepted, 'gzip']);
});

/** Returns the body as sent: `fetch` would decompress it. */
function firstPage(port: number, accepted: string | undefined): Promise<[string | undefined, string]> {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  return new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path: '/docs/', headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve([answer.headers['content-encoding'], Buffer.concat(parts).toString('latin1')]),
      );
    }).end();
  });
}

it('says how to build the site if it is missing, and shows it once it is built', async () => {
  const { folder, url } = await siteOf({});
  const missing = await fetch(`${url}/`);
  expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await missing.text()).toContain('npm run docs:site');
  expect((await fetch(`${url}/api`)).status).toBe(200);
  write(folder, 'index.html', '<h1>first</h1>');
  expect((await fetch(`${url}/`)).status).toBe(200);
});
