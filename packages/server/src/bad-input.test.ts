/**
 * Whatever is wrong with a request, the answer is a problem with a code, nothing is written and nothing is revealed.
 */
import { connect } from 'node:net';
import { PROTOCOL_HEADERS } from '@woof/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOf } from './fixtures/contents.ts';
import { infoOf, ONE_STEP, type TestServer, testServer } from './fixtures/test-server.ts';

const LIMITS = { body: 100_000, workBody: 200_000, headersMs: 300 };

let test: TestServer;
let id = '';
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  const options = { limits: LIMITS, perSecond: 1e6, strangersPerSecond: 1e6 };
  test = await testServer(options, (end) => ends.push(end));
  ({ execution_id: id } = await test.as('admin').call('executions.start', { body: { text: ONE_STEP } }));
  const body = { ...infoOf('known'), jobs: [] };
  await test.as('admin').call('work.beat', { headers: PROTOCOL_HEADERS, body });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  raw?: string;
  headers?: Record<string, string>;
}

const start = (body: unknown): Sent => ({ method: 'POST', path: '/v1/executions', body });
const work = (call: string, body: unknown): Sent => ({
  method: 'POST',
  path: `/v1/work/${call}`,
  body,
  headers: PROTOCOL_HEADERS,
});
const raw = (text: string, headers = {}): Sent => ({ ...start(undefined), raw: text, headers });
const withNumber = (n: string) => `{"text": ${JSON.stringify(ONE_STEP)}, "payload": {"n": ${n}}}`;
const held = () => ({ execution_id: id, job_id: 'start.1', fence: 1 });
const report = (reports: unknown) => work('report', { worker: 'known', reports });
const done = { type: 'done', label: 'start', task_run_id: 'start.1/start.1', attempt: 1 };

const CASES: [what: string, sent: () => Sent, status: number, code: string][] = [
  ['no JSON', () => raw('{"text": '), 400, 'request/invalid'],
  ['NaN', () => raw(withNumber('NaN')), 400, 'request/invalid'],
  ['a number too large for a float', () => raw(withNumber('1e400')), 400, 'request/invalid'],
  ['no body', () => raw(''), 400, 'request/invalid'],
  ['null', () => start(null), 400, 'request/invalid'],
  ['a list', () => start([]), 400, 'request/invalid'],
  ['another content type', () => raw('text=1', { 'content-type': 'text/csv' }), 400, 'request/invalid'],
  ['a NUL in a path', () => ({ path: '/v1/plans/%00' }), 400, 'request/invalid'],
  ['a NUL in a query', () => ({ path: '/v1/documents?prefix=%00' }), 400, 'request/invalid'],
  ['an unknown field', () => start({ text: ONE_STEP, tetx: 1 }), 400, 'request/invalid'],
  [
    'a folder of the client',
    () => start({ text: ONE_STEP, source: { folder: '/etc' } }),
    400,
    'request/invalid',
  ],
  ['a file with a folder', () => start({ text: ONE_STEP, file: '../../etc/passwd' }), 400, 'request/invalid'],
  ['neither path nor text', () => start({}), 400, 'request/invalid'],
  ['both path and text', () => start({ path: 'a', text: ONE_STEP }), 400, 'request/invalid'],
  ['a path that climbs', () => start({ path: 'a/../../b c' }), 400, 'request/invalid'],
  ['a payload that is no object', () => start({ text: ONE_STEP, payload: [1] }), 400, 'request/invalid'],
  ['a priority beyond all others', () => start({ text: ONE_STEP, priority: 1e9 }), 400, 'request/invalid'],
  [
    'a grant that there is not',
    () => start({ text: ONE_STEP, allow: { allow_all: true } }),
    400,
    'request/invalid',
  ],
  [
    'an idempotency key without end',
    () => ({ ...start({ text: ONE_STEP }), headers: { 'idempotency-key': 'k'.repeat(999) } }),
    400,
    'request/invalid',
  ],
  ['a document that is not known', () => start({ path: 'no/such' }), 404, 'not-found'],
  [
    'a document that does not compile',
    () => start({ text: 'kind: Playbook\nworkflow: 7' }),
    422,
    'document/invalid',
  ],
  ['a document that is none', () => start({ text: '\u0000\u0001' }), 422, 'document/invalid'],
  [
    'one to register that does not compile',
    () => ({ method: 'POST', path: '/v1/documents', body: { text: 'kind: Playbook' } }),
    422,
    'document/invalid',
  ],
  [
    'one to register without a path',
    () => ({ method: 'POST', path: '/v1/documents', body: { text: ONE_STEP } }),
    400,
    'request/invalid',
  ],
  ['too much', () => start({ text: 'x'.repeat(LIMITS.body) }), 413, 'request/too-large'],
  [
    'too much from a worker',
    () => work('report', { worker: 'x'.repeat(LIMITS.workBody) }),
    413,
    'request/too-large',
  ],
  ['a status that there is not', () => ({ path: '/v1/executions?status=odd' }), 400, 'request/invalid'],
  ['a page without end', () => ({ path: '/v1/executions?limit=1000000' }), 400, 'request/invalid'],
  ['an unknown query', () => ({ path: '/v1/executions?sort=name' }), 400, 'request/invalid'],
  ['a query said twice', () => ({ path: '/v1/executions?limit=1&limit=2' }), 400, 'request/invalid'],
  [
    'events before the first',
    () => ({ path: `/v1/executions/${id}/events?from=-1` }),
    400,
    'request/invalid',
  ],
  [
    'an execution that there is not',
    () => ({ path: '/v1/executions/20200101-000000-aaaaaaaa' }),
    404,
    'not-found',
  ],
  [
    'its events',
    () => ({ path: '/v1/executions/none/events', headers: { accept: 'text/event-stream' } }),
    404,
    'not-found',
  ],
  [
    'to cancel it',
    () => ({ method: 'POST', path: '/v1/executions/none/cancel', body: {} }),
    404,
    'not-found',
  ],
  ['a step that there is not', () => ({ path: `/v1/executions/${id}/result?step=odd` }), 404, 'not-found'],
  [
    'a result that is not there yet',
    () => ({ path: `/v1/executions/${id}/result` }),
    409,
    'request/conflict',
  ],
  [
    'to resume what runs',
    () => ({ method: 'POST', path: `/v1/executions/${id}/resume`, body: {} }),
    409,
    'request/conflict',
  ],
  ['a path that is cut off', () => ({ path: '/v1/executions/%E0%A4%A' }), 400, 'request/invalid'],
  ['a call that there is not', () => ({ path: '/v1/everything' }), 404, 'not-found'],
  [
    'a method that there is not',
    () => ({ method: 'PATCH', path: '/v1/executions', body: {} }),
    404,
    'not-found',
  ],
  ['a blob by a path', () => ({ path: '/v1/blobs/..%2f..%2fetc%2fpasswd' }), 400, 'request/invalid'],
  ['a blob that there is not', () => ({ path: `/v1/blobs/${'0'.repeat(64)}` }), 404, 'not-found'],
  [
    'a blob of another hash',
    () => ({
      method: 'PUT',
      path: `/v1/blobs/${'0'.repeat(64)}`,
      raw: 'bytes',
      headers: { 'content-type': 'application/octet-stream' },
    }),
    400,
    'request/invalid',
  ],
  [
    'a blob as JSON',
    () => ({ method: 'POST', path: '/v1/blobs', body: { bytes: 1 } }),
    400,
    'request/invalid',
  ],
  [
    'a token of an unknown role',
    () => ({ method: 'POST', path: '/v1/tokens', body: { name: 'x', role: 'root' } }),
    400,
    'request/invalid',
  ],
  [
    'a secret that is no text',
    () => ({ method: 'PUT', path: '/v1/secrets/x', body: { fields: { a: 1 } } }),
    400,
    'request/invalid',
  ],
  [
    'a worker of another version',
    () => work('claim', { ...infoOf('odd', { protocol: 99 }), free: 1, wait_ms: 0 }),
    409,
    'worker/protocol',
  ],
  ['a worker without a name', () => work('beat', { ...infoOf(''), jobs: [] }), 400, 'request/invalid'],
  [
    'a report of no shape',
    () => report([{ ...held(), reports: [{ type: 'done' }] }]),
    400,
    'request/invalid',
  ],
  [
    'a report with an odd outcome',
    () => report([{ ...held(), reports: [{ ...done, outcome: 7, directive: { do: 'continue' } }] }]),
    400,
    'request/invalid',
  ],
  [
    'a report with an odd directive',
    () =>
      report([
        { ...held(), reports: [{ ...done, outcome: { status: 'ok' }, directive: { do: 'explode' } }] },
      ]),
    400,
    'request/invalid',
  ],
  [
    'a child of a job that is not held',
    () =>
      work('child', {
        worker: 'known',
        ...held(),
        fence: 9,
        granted: {},
        request: { path: 'x', args: {}, iter: {}, key: 'k' },
      }),
    409,
    'worker/stale',
  ],
];

async function send({ method = 'GET', path, body, raw: text, headers = {} }: Sent) {
  const given = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = given === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${test.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${test.tokens.admin}`, ...type, ...headers },
    ...(given === undefined ? {} : { body: given }),
  });
  return { response, text: await response.text() };
}

describe('bad input', () => {
  it.each(CASES)('%s', async (_what, sent, status, code) => {
    const before = await contentsOf(test.store);
    const { response, text } = await send(sent());
    expect({ status: response.status, ...(JSON.parse(text) as object) }).toMatchObject({ status, code });
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(text).not.toMatch(/\.ts\b|node_modules|\bat .*:\d+:\d+|\/tmp\/|FST_|ENOENT/);
    expect(await contentsOf(test.store)).toEqual(before);
    expect(test.faults).toEqual([]);
  });

  it('the same calls without the mistake are answered', async () => {
    const good: [Sent, number][] = [
      [start({ text: ONE_STEP, file: 'one.yaml', payload: { n: 2 }, priority: 5 }), 201],
      [{ path: '/v1/executions?status=running&limit=1' }, 200],
      [{ path: `/v1/executions/${id}/events?from=1` }, 200],
      [work('claim', { ...infoOf('fine'), free: 0, wait_ms: 0 }), 200],
      [
        report([
          { ...held(), reports: [{ ...done, outcome: { status: 'ok' }, directive: { do: 'continue' } }] },
        ]),
        200,
      ],
    ];
    for (const [sent, status] of good)
      expect([sent.path, (await send(sent)).response.status]).toEqual([sent.path, status]);
  });

  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded'])(
    'a body of type %s: the problem says which type to send',
    async (type) => {
      const response = await fetch(`${test.url}/v1/executions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${test.tokens.admin}`,
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        body: Buffer.from(JSON.stringify({ text: ONE_STEP })),
      });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'request/invalid', detail: expect.stringContaining('send content-type: application/json') },
      ]);
    },
  );

  it('names of the maximum length are found', async () => {
    const path = `a/${'b'.repeat(298)}`;
    await test.as('admin').call('documents.register', { body: { text: ONE_STEP, path } });
    expect(await test.as('viewer').call('documents.get', { params: { path } })).toMatchObject({ path });
    const { text } = await send({ path: `/v1/executions/${'x'.repeat(400)}` });
    expect(JSON.parse(text)).toMatchObject({ detail: expect.stringContaining('there is no execution xxx') });
  });

  it('keys that are special in JavaScript stay ordinary values', async () => {
    const payload = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}',
    ) as object;
    const { text } = await send({
      ...start(undefined),
      raw: JSON.stringify({ text: ONE_STEP, payload }).replace('{}', '{"__proto__": {"polluted": true}}'),
    });
    expect(JSON.parse(text)).toMatchObject({ status: 'running' });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('connections', () => {
  function socket(text: string): Promise<string> {
    const { port } = new URL(test.url);
    return new Promise((resolve, reject) => {
      const client = connect(Number(port), '127.0.0.1', () => client.write(text));
      let heard = '';
      client.on('data', (chunk) => {
        heard += String(chunk);
      });
      client.on('close', () => resolve(heard));
      client.on('error', reject);
    });
  }

  it('one that never completes its headers is closed; one that does is answered', async () => {
    const head = `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n`;
    expect(await socket(head)).not.toContain('200 OK');
    expect(await socket(`${head}\r\n`)).toContain('200 OK');
  });

  it('without a token, an endless body is not read', async () => {
    const head = 'POST /v1/executions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';
    expect(await socket(`${head}content-length: 50000\r\n\r\n{"text":`)).toMatch(
      /^HTTP\/1.1 401 [\s\S]*auth\/missing/,
    );
  });

  it('anything that is not HTTP is refused', async () => {
    expect(await socket('\x16\x03\x01 hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('a foreign Host is refused, and so is a change from a foreign Origin', async () => {
    const admin = `authorization: Bearer ${test.tokens.admin}\r\nconnection: close\r\n`;
    const get = (host: string, more = '') =>
      socket(`GET /v1/me HTTP/1.1\r\nhost: ${host}\r\n${more}${admin}\r\n`);
    const post = (origin: string) =>
      socket(
        `POST /v1/lint HTTP/1.1\r\nhost: localhost\r\norigin: ${origin}\r\n${admin}content-type: application/json\r\ncontent-length: 11\r\n\r\n{"text":""}`,
      );
    expect(await get('evil.example')).toMatch(/403[\s\S]*host\/refused/);
    expect(await get('127.0.0.1.evil.example')).toMatch(/403/);
    expect(await get('localhost:1')).toMatch(/200 OK/);
    expect(await get('[::1]:9663', 'origin: https://evil.example\r\n')).toMatch(/200 OK/);
    expect(await post('https://evil.example')).toMatch(/403[\s\S]*host\/refused/);
    expect(await post('null')).toMatch(/403/);
    expect(await post('http://localhost:1234')).toMatch(/403/);
    expect(await post('http://localhost')).toMatch(/200 OK/);
  });
});
