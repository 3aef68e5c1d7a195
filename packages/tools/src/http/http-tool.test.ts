import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Json, JsonObject, Outcome } from '@woof/net';
import { exactValues, NOT_FINITE } from '@woof/testkit/exact-values';
import { afterAll, describe, expect, it } from 'vitest';
import { exerciseTool, type MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { createHttpTool } from './http-tool.ts';

const tool = createHttpTool();
const other = createServer(answer);
const server = createServer(answer);
const listening = Promise.all(
  [server, other].map((s) => new Promise<void>((r) => void s.listen(0, '127.0.0.1', r))),
);
await listening;
const base = baseOf(server);

function baseOf(of: typeof server): string {
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}

afterAll(async () => {
  await tool.close?.();
  for (const each of [server, other]) {
    each.closeAllConnections();
    await new Promise((resolve) => each.close(resolve));
  }
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => reply(request, response, body));
}

function reply(request: IncomingMessage, response: ServerResponse, body: string): void {
  const url = new URL(request.url ?? '/', 'http://x');
  const status = Number(/^\/status\/(\d+)/.exec(url.pathname)?.[1] ?? 200);
  const json = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r-1' };
  if (url.pathname === '/hang') return;
  if (url.pathname === '/echo') return void response.writeHead(200, json).end(body);
  if (url.pathname === '/stall') return void response.writeHead(200, json).write('[1,');
  if (url.pathname === '/break')
    return void response.writeHead(200, json).write('[1,', () => request.socket.destroy());
  if (url.pathname === '/text') return void response.setHeader('content-type', 'text/plain').end('héllo');
  if (url.pathname === '/untyped') return void response.end('héllo');
  if (url.pathname === '/untyped-binary') return void response.end(Buffer.from([0xff, 0xfe, 1]));
  if (url.pathname === '/latin1')
    return void response
      .setHeader('content-type', 'text/plain; charset=iso-8859-1')
      .end(Buffer.from([0x68, 0xe9]));
  if (url.pathname === '/binary')
    return void response.setHeader('content-type', 'image/png').end(Buffer.from([0, 255, 1]));
  if (url.pathname === '/bad-json') return void response.writeHead(200, json).end('{nope');
  if (url.pathname === '/gzip')
    return void response
      .writeHead(200, { ...json, 'content-encoding': 'gzip' })
      .end(gzipSync('{"zipped":true}'));
  if (url.pathname === '/bad-gzip')
    return void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end('not gzip');
  if (url.pathname === '/large')
    return void response.writeHead(200, json).end(`"${'x'.repeat(17 * 1024 * 1024)}"`);
  if (url.pathname === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
  if (url.pathname === '/go')
    return void response
      .writeHead(Number(url.searchParams.get('status')), { location: url.searchParams.get('to') ?? '' })
      .end();
  const { method, headers } = request;
  response.writeHead(status, { ...json, ...(status === 429 ? { 'retry-after': '7' } : {}) });
  response.end(status === 204 ? undefined : JSON.stringify({ method, path: request.url, headers, body }));
}

const run = async (
  input: JsonObject,
  more: { spec?: JsonObject; blobs?: MemoryBlobs } = {},
): Promise<Outcome> =>
  (await tool.run(
    toolCall({ input, spec: more.spec ?? {} }),
    toolContext(more.blobs ? { blobs: more.blobs } : {}),
  )) as Outcome;
const dataOf = async (input: JsonObject) =>
  ((await run(input)).result as { data: Record<string, Json> }).data;

exerciseTool('http', {
  make: createHttpTool,
  good: [{ input: { url: `${base}/a` } }, { input: { endpoint: `${base}/status/204` } }],
  bad: [
    [{ input: {} }, /"url" is missing/],
    [{ input: { url: 'example.com/x?token=s3cret' } }, /absolute http or https URL, got "example.com\/x"/],
    [{ input: { url: 'file:///etc/passwd' } }, /absolute http or https URL/],
    [{ input: { url: base, method: 'G ET' } }, /"method"/],
    [{ input: { url: base, method: 'connect' } }, /"method"/],
    [{ input: { url: base, headers: ['x'] } }, /"headers" must be a map, got a list of 1/],
    [{ input: { url: base, headers: { 'a b': 'x' } } }, /invalid header/i],
    [{ input: { url: base, timeout: 'long' } }, /"timeout" must be a number/],
    [{ input: { url: base, json: {}, form: {} } }, /"json" and "form" both set the body/],
    [
      { input: { url: base, auth: 'my_credential' } },
      /"auth" must be the name of a keychain entry, or a map/,
    ],
    [{ input: { url: base, auth: { type: 'basic', username: 'u' } } }, /"auth.password" is missing/],
    [{ input: { url: base, verify_ssl: 'no' } }, /"verify_ssl" must be true or false/],
  ],
  large: [{ input: { url: `${base}/large` }, spec: { http: { max_bytes: 1000 } } }],
  slow: { input: { url: `${base}/hang` } },
});

describe('the request', () => {
  it('sends method, parameters and headers', async () => {
    const input = { url: `${base}/p?a=1`, params: { b: [2, true], none: null }, headers: { 'X-Own': 'v' } };
    expect(await dataOf(input)).toMatchObject({
      method: 'GET',
      path: '/p?a=1&b=2&b=true',
      headers: { 'x-own': 'v' },
    });
  });

  it.each([
    [{ payload: { a: 1 } }, '{"a":1}', 'application/json'],
    [{ body: [1] }, '[1]', 'application/json'],
    [{ json: 'text' }, '"text"', 'application/json'],
    [{ data: 'raw' }, 'raw', 'text/plain; charset=utf-8'],
    [{ form: { a: 'x y', b: [1, 2] } }, 'a=x+y&b=1&b=2', 'application/x-www-form-urlencoded'],
    [{ data: 'k', headers: { 'Content-Type': 'application/xml' } }, 'k', 'application/xml'],
    [
      { data: { a: 1 }, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'a=1',
      'application/x-www-form-urlencoded',
    ],
  ])('sends the body %j', async (fields, body, type) => {
    const data = await dataOf({ url: base, method: 'post', ...fields });
    expect(data).toMatchObject({ method: 'POST', body, headers: { 'content-type': type } });
  });

  it.each([
    [{ type: 'bearer', token: 't' }, 'Bearer t'],
    [{ bearer: 't' }, 'Bearer t'],
    [{ type: 'basic', username: 'u', password: 'p' }, 'Basic dTpw'],
    [{ basic: { username: 'u', password: 'p' } }, 'Basic dTpw'],
  ])('authenticates with %j', async (auth, authorization) => {
    expect(await dataOf({ url: base, auth })).toMatchObject({ headers: { authorization } });
  });

  it('sends the idempotency key if the method changes something', async () => {
    expect((await dataOf({ url: base })).headers).not.toHaveProperty('idempotency-key');
    const sent = { headers: { 'idempotency-key': 'x1/s1/-/t1/1' } };
    expect(await dataOf({ url: base, method: 'POST' })).toMatchObject(sent);
    const own = await dataOf({ url: base, method: 'PUT', headers: { 'Idempotency-Key': 'mine' } });
    expect(own).toMatchObject({ headers: { 'idempotency-key': 'mine' } });
  });
});

describe('the reply', () => {
  it('returns status, headers, url, elapsed and parsed data', async () => {
    const outcome = await run({ url: `${base}/a?b=1` });
    expect(outcome).toMatchObject({
      status: 'ok',
      result: {
        status_code: 200,
        url: `${base}/a?b=1`,
        data: { path: '/a?b=1' },
        elapsed: expect.any(Number),
      },
      http: { status: 200, request_id: 'r-1', headers: { 'x-request-id': 'r-1' } },
    });
  });

  it('preserves numbers, both ways', async () => {
    const values = exactValues(200);
    expect(await dataOf({ url: `${base}/echo`, method: 'POST', json: values })).toEqual(values);
  });

  it.each(NOT_FINITE)('reads %s', async (body, data) => {
    const outcome = await run({ url: `${base}/echo`, method: 'POST', body });
    expect(outcome).toMatchObject({ status: 'ok', result: { data } });
  });

  it.each([
    ['/text', 'héllo'],
    ['/untyped', 'héllo'],
    ['/latin1', 'hé'],
    ['/gzip', { zipped: true }],
    ['/status/204', null],
  ])('reads %s', async (path, data) => {
    expect((await run({ url: base + path })).result).toMatchObject({ data });
  });

  it.each([
    ['/binary', 3],
    ['/untyped-binary', 3],
    ['/large', 17 * 1024 * 1024 + 2],
  ])('keeps %s in the blob store', async (path, size) => {
    const { data } = (await run({ url: base + path })).result as { data: JsonObject };
    expect(data).toMatchObject({ store: 'memory', size, schema_hint: { content_type: expect.any(String) } });
  });

  it.each([
    [429, 'rate_limit', true],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'not_found', false],
    [422, 'client_error', false],
    [500, 'server_error', true],
    [503, 'server_error', true],
  ])('maps %i to %s and still carries the body', async (status, kind, retryable) => {
    const outcome = await run({ url: `${base}/status/${status}` });
    expect(outcome).toMatchObject({
      status: 'error',
      error: { kind, retryable, http_status: status },
      http: { status, request_id: 'r-1' },
      result: { status_code: status, data: { method: 'GET' } },
    });
    expect(outcome.error?.retry_after).toBe(status === 429 ? 7 : undefined);
  });

  it.each([
    ['/break', {}, 'connection', /broke/],
    ['/hang', { timeout: 0.2 }, 'timeout', /within 0.2 s/],
    ['/stall', { timeout: 0.2 }, 'timeout', /within 0.2 s/],
    ['/bad-json', {}, 'parse', /the content type says JSON/],
    ['/bad-gzip', {}, 'parse', /header/],
    ['/loop', {}, 'client_error', /more than 10 redirects/],
  ])('reports the failure at %s', async (path, more, kind, message) => {
    const outcome = await run({ url: base + path, ...more });
    expect(outcome).toMatchObject({ status: 'error', error: { kind } });
    expect(outcome.error?.message).toMatch(message);
  });

  it('obeys spec.http.timeout.read and spec.http.max_bytes', async () => {
    const slow = await run({ url: `${base}/hang` }, { spec: { http: { timeout: { read: 0.2 } } } });
    expect(slow.error).toMatchObject({ kind: 'timeout', retryable: true });
    const large = await run({ url: `${base}/large` }, { spec: { http: { max_bytes: 1000 } } });
    expect(large.error).toMatchObject({
      kind: 'storage',
      message: expect.stringContaining('spec.http.max_bytes'),
    });
  });

  it('reports that nothing listens or that a host is unknown, and hides credentials', async () => {
    const refused = await run({
      url: 'http://user:s3cret@127.0.0.1:1/x?token=s3cret',
      auth: { bearer: 's3cret' },
    });
    expect(refused.error).toMatchObject({ kind: 'connection', retryable: true, code: 'ECONNREFUSED' });
    const unknown = await run({ url: 'http://no-such-host.invalid/?token=s3cret' });
    expect(unknown.error).toMatchObject({ kind: 'connection', retryable: true });
    expect(JSON.stringify([refused, unknown])).not.toContain('s3cret');
  });
});

describe('redirects', () => {
  const secret = { auth: { bearer: 't' }, headers: { Cookie: 'c=1' } };

  it('follows within an origin with credentials, and to another origin without them', async () => {
    expect(await dataOf({ url: `${base}/go?status=302&to=/end`, ...secret })).toMatchObject({
      path: '/end',
      headers: { authorization: 'Bearer t', cookie: 'c=1' },
    });
    const away = await dataOf({ url: `${base}/go?status=302&to=${baseOf(other)}/end`, ...secret });
    expect(away.path).toBe('/end');
    expect(away.headers).not.toHaveProperty('authorization');
    expect(away.headers).not.toHaveProperty('cookie');
  });

  it('sends no header of the document to another origin, except the type of a body that is sent along', async () => {
    const to = (status: number) => `${base}/go?status=${status}&to=${baseOf(other)}/end`;
    const headers = { 'X-Auth-Token': 's3cret', Accept: 's3cret', 'Content-Type': 'application/a+json' };
    const post = await dataOf({ url: to(307), method: 'POST', json: { a: 1 }, headers });
    expect(post).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { accept: '*/*' } });
    expect(post.headers).toMatchObject({ 'content-type': 'application/a+json', 'user-agent': 'woof' });
    const get = await dataOf({ url: to(303), method: 'POST', json: { a: 1 }, headers });
    expect(get.headers).not.toHaveProperty('content-type');
    expect(JSON.stringify([post, get])).not.toContain('s3cret');
  });

  it.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ])('turns a POST with %i into a %s', async (status, method, body) => {
    const input = { url: `${base}/go?status=${status}&to=/end`, method: 'POST', json: { a: 1 } };
    expect(await dataOf(input)).toMatchObject({ method, body, path: '/end' });
  });

  it('returns the redirect itself if it must not be followed', async () => {
    const outcome = await run({ url: `${base}/go?status=302&to=/end`, follow_redirects: false });
    expect(outcome).toMatchObject({ status: 'error', http: { status: 302, headers: { location: '/end' } } });
  });
});
