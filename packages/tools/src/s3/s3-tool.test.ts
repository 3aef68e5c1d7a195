import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ARROW_STREAM, batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import { encodeJson, type Json, type JsonObject, type Outcome } from '@woof/net';
import { exactValues, NOT_FINITE } from '@woof/testkit/exact-values';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { createS3Tool } from './s3-tool.ts';
import { signedHeaders } from './signed-headers.ts';

const auth = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
const store = { bucket: 'mine', auth } as JsonObject;

describe('s3', () => {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: temporaryFolder('s3'),
    configureBuckets: [{ name: 'mine', configs: [] }],
  });
  const tool = createS3Tool();
  const run = (input: JsonObject, context = {}) =>
    tool.run(toolCall({ input: { ...store, ...input } }), toolContext(context)) as Promise<Outcome>;

  beforeAll(async () => {
    const { port } = await server.run();
    store.endpoint = `http://127.0.0.1:${port}`;
    await run({ key: 'large', data: 'x'.repeat(100) });
  });
  afterAll(async () => {
    await tool.close?.();
    await server.close();
  });

  exerciseTool('s3', {
    make: createS3Tool,
    good: [{ input: Object.assign(store, {}) }],
    bad: [
      [{ input: { auth } }, /"bucket"/],
      [{ input: { bucket: 'a/b', auth } }, /"bucket" must be/],
      [{ input: { bucket: 'mine' } }, /"auth" must have access_key_id.*keychain/],
      [{ input: { bucket: 'mine', auth, action: 'get' } }, /"key" is missing/],
      [{ input: { bucket: 'mine', auth, action: 'put', key: 'a' } }, /"data" is missing/],
      [{ input: { bucket: 'mine', auth, key: 'a/../../b' } }, /"key" must be/],
      [{ input: { bucket: 'mine', auth, endpoint: 'ftp://x' } }, /"endpoint" must be/],
    ],
    large: [
      {
        get input() {
          return { ...store, key: 'large', max_bytes: 10 };
        },
      },
    ],
    secret: [
      {
        input: {
          bucket: 'mine',
          endpoint: 'http://127.0.0.1:1',
          auth: { access_key_id: 'a', secret_access_key: CANARY, session_token: CANARY },
        },
      },
      { input: { bucket: 'mine', auth: CANARY } },
    ],
  });

  it.each([
    ['plain', 'héllo', 'text/plain; charset=utf-8'],
    ["odd/ke y+é&(1)*~'.txt", 'x', 'text/plain; charset=utf-8'],
    ['value.json', { a: [1, null] }, 'application/json'],
    ['numbers.json', exactValues(100), 'application/json'],
    ['empty', '', 'text/plain; charset=utf-8'],
    ['nothing', null, 'application/json'],
  ] as [string, Json, string][])('puts and gets %s', async (key, data, content_type) => {
    const put = await run({ key, data });
    const size = Buffer.byteLength(typeof data === 'string' ? data : encodeJson(data));
    expect(put).toMatchObject({ status: 'ok', result: { etag: expect.any(String), content_type, size } });
    expect((await run({ key })).result).toMatchObject({ bucket: 'mine', key, data, content_type });
    expect((await run({ key, action: 'head' })).result).toMatchObject({
      key,
      etag: expect.any(String),
      content_type,
      size,
    });
  });

  it.each(NOT_FINITE)('reads %s', async (data, value) => {
    await run({ key: 'odd.json', data, content_type: 'application/json' });
    expect((await run({ key: 'odd.json' })).result).toMatchObject({ data: value });
  });

  it('puts a reference by its bytes, and gets bytes as a reference', async () => {
    const blobs = new MemoryBlobs();
    const bytes = Buffer.alloc(3_000_000, 7);
    const reference = await blobs.put(
      (async function* () {
        yield bytes;
      })(),
      { hint: null },
    );
    expect((await run({ key: 'big', data: reference }, { blobs })).error).toBeUndefined();
    const { result } = await run({ key: 'big' }, { blobs });
    expect(result).toMatchObject({
      size: bytes.length,
      data: { size: bytes.length, checksum: reference.checksum },
    });
    expect((await run({ key: 'big', max_bytes: 1000 })).error).toMatchObject({ kind: 'storage' });
  });

  it('puts a table as a JSON list, or as Arrow if requested', async () => {
    const blobs = new MemoryBlobs();
    const header = { rows: 2, nodes: [[2, 0]] as [number, number][], buffers: [0, 8] };
    const body = Buffer.from(new Int32Array([7, 8]).buffer);
    const stream = [
      schemaMessage([{ name: 'n', kind: 'int', bits: 32, signed: true }]),
      batchMessage(header),
      body,
      END_OF_STREAM,
    ];
    const table = await blobs.put(
      (async function* () {
        yield* stream;
      })(),
      { hint: { type: 'list', length: 2, columns: ['n'], content_type: ARROW_STREAM } },
    );
    expect((await run({ key: 'rows', data: table }, { blobs })).error).toBeUndefined();
    expect((await run({ key: 'rows' })).result).toMatchObject({
      data: [{ n: 7 }, { n: 8 }],
      content_type: 'application/json',
    });
    await run({ key: 'rows.arrow', data: table, content_type: ARROW_STREAM }, { blobs });
    expect((await run({ key: 'rows.arrow' }, { blobs })).result).toMatchObject({
      data: { checksum: table.checksum },
    });
  });

  it('lists by prefix over several pages, and deletes', async () => {
    for (let n = 0; n < 7; n++) await run({ key: `list/${n}&<`, data: String(n) });
    expect((await run({ prefix: 'list/' })).result).toMatchObject({
      count: 7,
      truncated: false,
      objects: Array.from({ length: 7 }, (_, n) => ({ key: `list/${n}&<` })),
    });
    expect((await run({ action: 'delete', key: 'list/0&<' })).status).toBe('ok');
    expect((await run({ prefix: 'list/' })).result).toMatchObject({ count: 6 });
  });

  it.each([
    [{ key: 'absent' }, 'not_found', 'NoSuchKey'],
    [{ bucket: 'nowhere', key: 'a' }, 'not_found', 'NoSuchBucket'],
    [{ auth: { ...auth, access_key_id: 'nobody' }, key: 'plain' }, 'auth', 'InvalidAccessKeyId'],
    [{ endpoint: 'http://127.0.0.1:1', key: 'plain' }, 'connection', 'ECONNREFUSED'],
  ] as [JsonObject, string, string][])('explains the error in %j', async (input, kind, code) => {
    const outcome = await run(input);
    expect(outcome.error).toMatchObject({ kind, code, retryable: kind === 'connection' });
    expect(JSON.stringify(outcome)).not.toContain('s3cret');
  });

  it('stops when it is told to', async () => {
    expect((await run({ key: 'plain' }, { signal: AbortSignal.abort() })).error).toMatchObject({
      kind: 'cancelled',
    });
  });
});

/** What the store of the tests above does not do: pagination, and checking signatures. */
describe('other answers', () => {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const [, , code = ''] = url.pathname.split('/');
    if (code !== '') {
      const status = Number(url.pathname.split('/')[3]);
      response.writeHead(status, { 'retry-after': '7' });
      return void response.end(`<Error><Code>${code}</Code><Message>no &amp; no</Message></Error>`);
    }
    const page = Number(url.searchParams.get('continuation-token') ?? 0);
    const more =
      page < 2
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page + 1}</NextContinuationToken>`
        : '';
    response.end(
      `<R>${more}<Contents><Key>k${page}</Key><Size>5</Size><ETag>&quot;e&quot;</ETag></Contents></R>`,
    );
  });
  const tool = createS3Tool();
  const run = (input: JsonObject) => {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return tool.run(
      toolCall({ input: { bucket: 'b', auth, endpoint, ...input } }),
      toolContext(),
    ) as Promise<Outcome>;
  };
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(async () => {
    await tool.close?.();
    server.close();
  });

  it('reads a list page by page, up to its limit', async () => {
    expect((await run({})).result).toMatchObject({
      objects: [0, 1, 2].map((n) => ({ key: `k${n}`, size: 5, etag: 'e' })),
      truncated: false,
    });
    expect((await run({ limit: 2 })).result).toMatchObject({ count: 2, truncated: true });
  });

  it.each([
    ['SignatureDoesNotMatch', 403, 'auth', false],
    ['AccessDenied', 403, 'auth', false],
    ['SlowDown', 503, 'rate_limit', true],
    ['InternalError', 500, 'server_error', true],
    ['EntityTooLarge', 400, 'client_error', false],
  ])('turns %s into an error of its kind', async (code, status, kind, retryable) => {
    const { error } = await run({
      key: `${code}/${status}`,
      auth: { ...auth, secret_access_key: 's3cret!' },
    });
    expect(error).toMatchObject({ kind, code, retryable, http_status: status, retry_after: 7 });
    expect(error?.message).toContain('no & no');
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });
});

/** The examples from the public documentation of the signature. */
it.each([
  [
    'GET',
    '/test.txt',
    { range: 'bytes=0-9' },
    '',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'GET',
    '/?max-keys=2&prefix=J',
    {},
    '',
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'PUT',
    '/test%24file.text',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    'Welcome to Amazon S3.',
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
] as [string, string, Record<string, string>, string, string][])(
  'signs %s %s as published',
  async (method, path, headers, body, signature) => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com${path}`);
    const at = new Date('2013-05-24T00:00:00Z');
    const signed = await signedHeaders(
      {
        method,
        url,
        headers,
        bodySha256: createHash('sha256').update(body).digest('hex'),
        region: 'us-east-1',
        at,
      },
      { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    );
    expect(signed.authorization).toContain(`Signature=${signature}`);
  },
);
