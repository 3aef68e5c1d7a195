import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cookieOf } from '../fixtures/login-calls.ts';
import { type TestServer, temporaryFolder, testServer } from '../fixtures/test-server.ts';

const INDEX = '<!doctype html><title>Studio</title>';
const SCRIPT = 'export const studio = true;\n'.repeat(20);
const ASSET = 'main-3fA9_xQ1.js';
const FILES = {
  'index.html': INDEX,
  [ASSET]: SCRIPT,
  [`${ASSET}.gz`]: gzipSync(SCRIPT),
  [`${ASSET}.br`]: brotliCompressSync(SCRIPT),
  'style-0a1b2c3d.css.gz': gzipSync('a{}'),
  'icon.svg': '<svg/>',
};

type OnEnd = NonNullable<Parameters<typeof testServer>[1]>;

async function serverOf(files: Record<string, string | Buffer>, onEnd: OnEnd = onTestFinished) {
  const folder = join(temporaryFolder(onEnd), 'studio');
  mkdirSync(folder);
  for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body);
  writeFileSync(join(folder, '../secret.js'), 'secret');
  return { ...(await testServer({ studio: folder, strangersPerSecond: 1 }, onEnd)), studio: folder };
}

const ends: (() => void | Promise<void>)[] = [];
let test: TestServer & { studio: string };
beforeAll(async () => {
  test = await serverOf(FILES, (end) => ends.unshift(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends and returns everything unchanged: `fetch` would remove dots, follow redirects and decompress. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(test.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers, method, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }),
      );
    });
    asked.on('error', reject).end();
  });
}

const PROBLEM = 'application/problem+json; charset=utf-8';
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page of Studio', () => {
  it('is at / and at every otherwise unused address, and never redirects', async () => {
    const paths = ['/', '/runs', '/runs/20261115-084812', '/compare?a=1&b=2', '/login', '/no/such/page'];
    const redirects = [
      '/login?next=//evil.example',
      '/login?next=https://evil.example',
      '//evil.example/%2e%2e',
    ];
    const malformed = ['/runs/%E0%A4%A', '/%', '/runs/%zz?a=%'];
    const odd = ['/runs/%00', '/..%2f..%2fsecret.js', '/runs//x', '/\\evil.example', '/v1x'];
    for (const path of [...paths, ...redirects, ...malformed, ...odd]) {
      const { status, headers, body } = await get(path, HTML);
      expect([path, status, body.toString(), headers.location]).toEqual([path, 200, INDEX, undefined]);
    }
    expect((await get('/')).body.toString()).toBe(INDEX);
    expect(await get('/runs', HTML, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it('is not sent to programs, for unknown calls, or for changes', async () => {
    const calls = ['/v1/nothing', '/v1', '/workbooks/x', '/studio', '/studio/', '/studio/index.html'];
    for (const path of calls) {
      const { status, headers } = await get(path, HTML);
      expect([path, status, headers['content-type']]).toEqual([path, 404, PROBLEM]);
    }
    expect((await get('/docs/none', HTML)).body.toString()).not.toBe(INDEX);
    expect(await get('/runs', { accept: '*/*' })).toMatchObject({ status: 404 });
    expect(await get('/runs', HTML, 'POST')).toMatchObject({ status: 404 });
    for (const [path, headers, method] of [
      ['/v1/executions/%E0%A4%A', HTML, 'GET'],
      ['/runs/%E0%A4%A', { accept: '*/*' }, 'GET'],
      ['/runs/%E0%A4%A', HTML, 'POST'],
    ] as const)
      expect(await get(path, headers, method)).toMatchObject({ status: 400 });
    expect((await get('/runs/%E0%A4%A', { ...HTML, host: 'evil.example' })).status).toBe(403);
    expect((await get('/runs', { ...HTML, host: 'evil.example' })).status).toBe(403);
  });

  it('tells browsers what they must not do', async () => {
    const { headers } = await get('/runs', HTML);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types woof-studio",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    expect(headers['set-cookie']).toBeUndefined();
    const { etag = '' } = headers;
    expect(await get('/', { ...HTML, 'if-none-match': etag })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    });
    expect((await get('/', { ...HTML, 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  it('says if the build lacks it, and appears as soon as it is built', async () => {
    const bare = await serverOf({});
    const page = () => fetch(`${bare.url}/runs`, { headers: HTML });
    const missing = await page();
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await missing.text()).toContain('does not include Studio');
    writeFileSync(join(bare.studio, 'index.html.gz'), gzipSync(INDEX));
    expect(await (await page()).text()).toBe(INDEX);
  });

  it('may show only workbooks of this server in frames', async () => {
    const folder = temporaryFolder();
    const workbooks = { domain: 'wb.localhost', script: '', folder, key: Buffer.alloc(32) };
    const { url } = await testServer({ studio: test.studio, workbooks });
    const policy = (await fetch(url)).headers.get('content-security-policy');
    expect(policy).toMatch(new RegExp(`; frame-src http://\\*\\.wb\\.localhost:${new URL(url).port}$`));
  });
});

describe('the assets of Studio', () => {
  it('are sent in the best form that the browser accepts, and are cached by it', async () => {
    const path = `/studio/${ASSET}`;
    const forms = [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (body: Buffer) => body],
      ['', undefined, (body: Buffer) => body],
    ] as const;
    for (const [accepted, coding, unpack] of forms) {
      const { status, headers, body } = await get(path, { 'accept-encoding': accepted });
      expect([status, headers['content-encoding']]).toEqual([200, coding]);
      expect(String(unpack(body))).toBe(SCRIPT);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
    }
    const style = await get('/studio/style-0a1b2c3d.css', { 'accept-encoding': 'br' });
    expect([style.headers['content-encoding'], String(style.body)]).toEqual([undefined, 'a{}']);
    expect((await get('/studio/icon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('are exactly the files of its folder', async () => {
    expect((await get(`/studio/${ASSET}`)).status).toBe(200);
    const ways = ['../secret.js', '..%2fsecret.js', '%2e%2e/secret.js', '..%5csecret.js', '%2fetc%2fpasswd'];
    const more = [
      `${ASSET}%00`,
      `%00${ASSET}`,
      `x/../../secret.js`,
      `/${ASSET}`,
      `./../secret.js`,
      '%c0%ae',
      'none.js',
    ];
    for (const way of [...ways, ...more]) {
      const { status, body } = await get(`/studio/${way}`, HTML);
      expect([400, 404], way).toContain(status);
      expect(body.toString(), way).not.toMatch(/secret|<title>/);
    }
  });
});

it('responses of calls are never shown as a page of this server', async () => {
  const cookie = await cookieOf(test.url, { token: test.tokens.operator });
  const html = '<script>alert(1)</script>';
  const stored = await fetch(`${test.url}/v1/blobs`, {
    method: 'POST',
    headers: { cookie, origin: test.url, 'content-type': 'application/octet-stream' },
    body: html,
  });
  const { sha256 } = (await stored.json()) as { sha256: string };
  for (const path of [`/v1/blobs/${sha256}`, '/v1/me', '/v1/nothing']) {
    const { headers } = await get(path, { cookie, ...HTML });
    expect([path, headers]).toEqual([
      path,
      expect.objectContaining({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      }),
    ]);
    expect(headers['content-type']).not.toContain('html');
  }
});
