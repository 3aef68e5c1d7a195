import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { ARROW_STREAM, batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import type { Json, JsonObject, Outcome } from '@woof/net';
import { describeUnless, type NatsServer, natsReason, startNats } from '@woof/testkit';
import { exactValues, NOT_FINITE } from '@woof/testkit/exact-values';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { once } from '../once.ts';
import { createNatsTool } from './nats-tool.ts';

const where = {} as JsonObject;

describeUnless(natsReason())('nats', () => {
  let server: NatsServer;
  const tool = createNatsTool();
  const run = (input: JsonObject, context = {}, key = 'x1/s1/-/t1/1') =>
    tool.run(
      toolCall({ input: { ...where, ...input }, idempotencyKey: key }),
      toolContext(context),
    ) as Promise<Outcome>;
  const resultOf = async (input: JsonObject, context = {}, key?: string) => {
    const outcome = await run(input, context, key);
    expect(outcome.error).toBeUndefined();
    return outcome.result as JsonObject;
  };

  beforeAll(async () => {
    server = await startNats();
    where.servers = server.url;
  });
  afterAll(async () => {
    await tool.close?.();
    await server.dispose();
  });

  exerciseTool('nats', {
    make: createNatsTool,
    good: [
      {
        get input() {
          return { ...where, operation: 'kv_put', bucket: 'good', key: 'a', value: 1, create: true };
        },
      },
    ],
    bad: [
      [{ input: {} }, /"operation" is missing: one of kv_get/],
      [{ input: { operation: 'kv_fly' } }, /"operation" must be one of/],
      [{ input: { operation: 'kv_get', bucket: 'b' } }, /"key" is missing/],
      [{ input: { operation: 'kv_put', bucket: 'b', key: 'a' } }, /"value" is missing/],
      [{ input: { operation: 'object_get', bucket: 'b' } }, /"name" is missing/],
      [{ input: { operation: 'kv_get', bucket: 'a b', key: 'k' } }, /"bucket" must be/],
      [{ input: { operation: 'kv_get', bucket: 'b', key: 'a b\r\nPUB x' } }, /"key" must be/],
      [{ input: { operation: 'js_publish', subject: 'a\r\nPUB x 1', data: 1 } }, /"subject" must be/],
      [
        { input: { operation: 'js_publish', subject: 'a', data: 1, headers: { 'a:b': '1' } } },
        /"headers" must/,
      ],
      [{ input: { operation: 'js_consume', stream: 's' } }, /"consumer" is missing/],
      [{ input: { operation: 'js_ack', acks: ['orders.new'] } }, /"acks" must be/],
      [{ input: { operation: 'kv_keys', bucket: 'b', servers: 'http://x' } }, /"servers" must be/],
      [{ input: { operation: 'kv_keys', bucket: 'b', auth: 'pg' } }, /"auth" must be a map.*keychain/],
    ],
    secret: [
      {
        input: {
          operation: 'kv_keys',
          bucket: 'b',
          servers: `nats://user:${CANARY}@127.0.0.1:1`,
          auth: { token: CANARY },
        },
      },
      { input: { operation: 'kv_keys', bucket: 'b', auth: CANARY } },
    ],
    large: [
      {
        get input() {
          return { ...where, operation: 'object_get', bucket: 'large', name: 'o', max_bytes: 10 };
        },
      },
    ],
    once: {
      call: {
        get input() {
          return {
            ...where,
            operation: 'js_publish',
            stream: 'ONCE',
            subject: 'once',
            data: 1,
            create: true,
          };
        },
      },
      effects: async () => {
        const { count } = await resultOf({ operation: 'js_consume', stream: 'ONCE', consumer: 'c', wait: 1 });
        return Number(count);
      },
    },
    slow: {
      get input() {
        return { ...where, operation: 'js_consume', stream: 'SLOW', consumer: 'c', wait: 60 };
      },
    },
  });

  // What `slow` waits for.
  beforeAll(async () => {
    await resultOf({
      operation: 'object_put',
      bucket: 'large',
      name: 'o',
      data: 'x'.repeat(100),
      create: true,
    });
    await resultOf({ operation: 'js_publish', stream: 'SLOW', subject: 'slow.other', data: 1, create: true });
    await resultOf({ operation: 'js_consume', stream: 'SLOW', consumer: 'c', wait: 1 });
  });

  it.each([
    ['text', 'héllo'],
    ['json', { a: [1, null] }],
    ['numbers', exactValues(100)],
    ['empty', ''],
    ['dotted.key-1/x=y_z', 7],
  ] as [string, Json][])('puts, gets and deletes the key %s', async (key, value) => {
    const kv = { bucket: 'keys', create: true };
    const { revision } = await resultOf({ operation: 'kv_put', ...kv, key, value });
    expect(await resultOf({ operation: 'kv_get', ...kv, key })).toMatchObject({ key, value, revision });
    expect((await resultOf({ operation: 'kv_keys', ...kv })).keys).toContain(key);
    await resultOf({ operation: 'kv_delete', ...kv, key });
    expect((await run({ operation: 'kv_get', ...kv, key })).error).toMatchObject({
      kind: 'not_found',
      retryable: false,
    });
  });

  it.each(NOT_FINITE)('reads %s', async (text, data) => {
    await resultOf({ operation: 'kv_put', bucket: 'odd', create: true, key: 'k', value: text });
    expect(await resultOf({ operation: 'kv_get', bucket: 'odd', key: 'k' })).toMatchObject({ value: data });
  });

  it('puts a key only if it has the given revision', async () => {
    const kv = { operation: 'kv_put', bucket: 'turns', key: 'k', create: true };
    const { revision } = await resultOf({ ...kv, value: 1, revision: 0 });
    expect((await run({ ...kv, value: 2, revision: 0 })).error).toMatchObject({ kind: 'client_error' });
    await resultOf({ ...kv, value: 2, revision: revision! });
    expect((await run({ ...kv, value: 3, revision: revision! })).error).toMatchObject({
      kind: 'client_error',
    });
  });

  it('stores objects, small ones as values and large ones by reference', async () => {
    const blobs = new MemoryBlobs();
    const objects = { bucket: 'files', create: true };
    await resultOf({ operation: 'object_put', ...objects, name: 'a b/ü', data: { n: 1 } });
    expect(await resultOf({ operation: 'object_get', ...objects, name: 'a b/ü' })).toMatchObject({
      data: { n: 1 },
    });
    const bytes = Buffer.alloc(3_000_000, 7);
    const reference = await blobs.put(
      (async function* () {
        yield bytes;
      })(),
      { hint: null },
    );
    await resultOf({ operation: 'object_put', ...objects, name: 'big', data: reference }, { blobs });
    const { data } = await resultOf({ operation: 'object_get', ...objects, name: 'big' }, { blobs });
    expect(data).toMatchObject({ size: bytes.length, checksum: reference.checksum });
    const limited = await run({ operation: 'object_get', ...objects, name: 'big', max_bytes: 1000 });
    expect(limited.error).toMatchObject({ kind: 'storage' });
    const { objects: listed } = await resultOf({ operation: 'object_list', ...objects });
    expect((listed as JsonObject[]).map(({ name }) => name).sort()).toEqual(['a b/ü', 'big']);
    await resultOf({ operation: 'object_delete', ...objects, name: 'big' });
    expect((await run({ operation: 'object_get', ...objects, name: 'big' })).error).toMatchObject({
      kind: 'not_found',
    });
  });

  it('counts a table as the JSON in which it is sent', async () => {
    const blobs = new MemoryBlobs();
    const rows = 2000;
    const table = Buffer.concat([
      schemaMessage([{ name: 'n', kind: 'null' }]),
      batchMessage({ rows, nodes: [[rows, 0]], buffers: [] }),
      END_OF_STREAM,
    ]);
    const reference = await blobs.put(once(table), { hint: { content_type: ARROW_STREAM } });
    const kv = { operation: 'kv_put', bucket: 'tables', key: 'k', create: true, value: reference as never };
    const refused = await run({ ...kv, max_bytes: 10_000 }, { blobs });
    expect(refused.error).toMatchObject({
      kind: 'storage',
      message: expect.stringMatching(/the value is larger than 10000 bytes/),
    });
    await resultOf({ ...kv, max_bytes: 100_000 }, { blobs });
    const { value } = await resultOf({ operation: 'kv_get', bucket: 'tables', key: 'k' });
    expect(value).toHaveLength(rows);
  });

  it('publishes once however often a task runs, and consumes in order', async () => {
    const publish = { operation: 'js_publish', stream: 'ORDERS', subject: 'orders.new', create: true };
    for (const [n, key] of ['a', 'b', 'b', 'c'].entries()) {
      const { duplicate } = await resultOf({ ...publish, data: { key }, headers: { n } }, {}, key);
      expect(duplicate).toBe(n === 2);
    }
    const consume = { operation: 'js_consume', stream: 'ORDERS', consumer: 'tests', wait: 1 };
    const first = await resultOf({ ...consume, batch: 2 });
    expect(first).toMatchObject({
      count: 2,
      messages: [
        { seq: 1, data: { key: 'a' }, headers: { n: '0' } },
        { seq: 2, data: { key: 'b' } },
      ],
    });
    expect(await resultOf(consume)).toMatchObject({ count: 1, messages: [{ data: { key: 'c' } }] });
    expect(await resultOf(consume)).toMatchObject({ count: 0, messages: [] });
  });

  it('redelivers messages until they are confirmed, if asked to', async () => {
    await resultOf(
      { operation: 'js_publish', stream: 'JOBS', subject: 'jobs', data: 'x', create: true },
      {},
      'job',
    );
    const consume = { operation: 'js_consume', stream: 'JOBS', consumer: 'c', wait: 1, ack: false };
    const { messages } = await resultOf(consume);
    const acks = (messages as JsonObject[]).map(({ ack }) => ack as string);
    expect(acks).toEqual([expect.stringMatching(/^\$JS\.ACK\.JOBS\.c\./)]);
    expect(await resultOf({ operation: 'js_ack', acks })).toEqual({ acked: 1 });
    const again = await resultOf({ ...consume, ack: true });
    expect(again.count).toBe(0);
  });

  it('reports that no stream takes a subject', async () => {
    const { error } = await run({ operation: 'js_publish', subject: 'nobody.listens', data: 1 });
    expect(error?.message).toMatch(/no stream accepts the subject nobody\.listens.*create: true/);
  });

  it.each([
    [{ operation: 'kv_get', bucket: 'nowhere', key: 'a' }, 'not_found', false],
    [{ operation: 'object_get', bucket: 'nowhere', name: 'a' }, 'not_found', false],
    [{ operation: 'js_publish', subject: 'nobody.listens', data: 1 }, 'not_found', false],
    [{ operation: 'js_consume', stream: 'NOWHERE', consumer: 'c' }, 'not_found', false],
    [{ operation: 'kv_keys', bucket: 'b', servers: 'nats://127.0.0.1:1' }, 'connection', true],
    [{ operation: 'kv_put', bucket: 'keys', key: 'big', value: 'x'.repeat(2_000_000) }, 'storage', false],
  ] as [JsonObject, string, boolean][])('explains the error in case %#', async (input, kind, retryable) => {
    expect((await run(input)).error).toMatchObject({ kind, retryable });
  });

  it('recovers when the server ends its connections', async () => {
    await resultOf({ operation: 'kv_put', bucket: 'lasting', key: 'k', value: 1, create: true });
    await server.kill();
    expect((await run({ operation: 'kv_get', bucket: 'lasting', key: 'k' })).error).toMatchObject({
      kind: 'connection',
      retryable: true,
    });
    await server.start();
    expect(await resultOf({ operation: 'kv_get', bucket: 'lasting', key: 'k' })).toMatchObject({ value: 1 });
  });
});

describeUnless(natsReason())('nats with a password', () => {
  let server: NatsServer;
  const tool = createNatsTool();
  beforeAll(async () => {
    server = await startNats(['--user', 'me', '--pass', 'right']);
  });
  afterAll(async () => {
    await tool.close?.();
    await server.dispose();
  });

  it.each([
    ['right', undefined],
    ['wrong', { kind: 'auth', retryable: false }],
  ])('accepts the password %s, or refuses', async (password, error) => {
    const input = { operation: 'kv_put', bucket: 'b', key: 'k', value: 1, create: true, servers: server.url };
    const outcome = (await tool.run(
      toolCall({ input: { ...input, auth: { user: 'me', password } } }),
      toolContext(),
    )) as Outcome;
    if (error === undefined) expect(outcome.error).toBeUndefined();
    else expect(outcome.error).toMatchObject(error);
  });
});

describe('a server that accepts and stays silent', () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket));
  const tool = createNatsTool();
  beforeAll(() => new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve)));
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await tool.close?.();
  });

  it('is abandoned when the time is up', async () => {
    const { port } = silent.address() as AddressInfo;
    const input = { operation: 'kv_keys', bucket: 'b', servers: `127.0.0.1:${port}`, timeout: 0.2 };
    const outcome = (await tool.run(toolCall({ input }), toolContext())) as Outcome;
    expect(outcome.error).toMatchObject({ kind: 'timeout', retryable: true });
  });
});
