/** Documents and executions through the client, with real workers over HTTP. Every answer matches its schema. */
import { join } from 'node:path';
import { ARROW_STREAM, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import { type Client, HttpBlobs, RemoteStore } from '@woof/client';
import { decodeJson, encodeJson, Float, isReference, type JsonObject, type Reference } from '@woof/net';
import type { Problem, RouteName } from '@woof/protocol';
import { CALLS, type CallDescription } from '@woof/protocol/http';
import { type ExecutionFilter, MemoryStore, referenceTo, SqliteStore } from '@woof/stores';
import { exactValues } from '@woof/testkit/exact-values';
import type { Tool } from '@woof/tools';
import { describe, expect, it } from 'vitest';
import { contentsOf } from './fixtures/contents.ts';
import {
  ended,
  ONE_STEP,
  playbook,
  temporaryFolder,
  testServer,
  testWorker,
  until,
} from './fixtures/test-server.ts';

const LOOP = playbook(
  `- step: start
  loop: {in: "{{ range(20) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 10}}
  tool: {kind: noop, result: "{{ n }}"}
  next: {arcs: [{step: sum}]}
- step: sum
  tool: {kind: noop, result: "{{ start.results | sum }}"}`,
  'metadata: {name: loop, path: demo/loop}\n',
);

/** Returns the answer, and checks that it matches the OpenAPI description. */
async function checked(client: Client, name: RouteName, input: object = {}) {
  const answer = await client.call(name, input as never);
  const { answer: schema }: CallDescription = CALLS[name];
  const parsed = schema!.safeParse(answer);
  expect(parsed.error?.issues ?? [], name).toEqual([]);
  return answer as never as Record<string, never>;
}

describe('a notebook by its media type', () => {
  const MEDIA = 'application/vnd.woof.notebook+text';
  const TEXT = '%WOOFNB 1.0\nname: n\nlanguage: python\n\n```cell id=a type=data\n["é"]\n```\n';

  it('is registered, linted and downloaded as its own text', async () => {
    const test = await testServer();
    const authorization = `Bearer ${test.tokens.operator}`;
    const send = (path: string, body: string | Buffer, type = `${MEDIA}; version=1.0`) =>
      fetch(`${test.url}${path}`, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': type },
      });
    const kept = await send('/v1/documents?path=demo/n', TEXT);
    expect(kept.status).toBe(201);
    expect(await kept.json()).toMatchObject({ path: 'demo/n', kind: 'notebook', name: 'n' });
    expect(await (await send('/v1/lint', '%WOOFNB 1.0\n')).json()).toMatchObject({ kind: 'notebook' });
    expect((await send('/v1/documents?path=demo/n', Buffer.from([0x25, 0xff]))).status).toBe(400);
    expect((await send('/v1/documents?path=demo/n', TEXT, 'text/plain')).status).toBe(400);

    const get = (accept: string) =>
      fetch(`${test.url}/v1/documents/demo%2Fn`, { headers: { authorization, accept } });
    const text = await get(`${MEDIA}, application/json;q=0.5`);
    expect(text.headers.get('content-type')).toBe(`${MEDIA}; version=1.0`);
    expect(await text.text()).toBe(TEXT);
    expect(await (await get('*/*')).json()).toMatchObject({ text: TEXT });
  });

  it('is not used for a playbook', async () => {
    const test = await testServer();
    await test.as('operator').call('documents.register', { body: { text: LOOP } });
    const headers = { authorization: `Bearer ${test.tokens.operator}`, accept: MEDIA };
    const response = await fetch(`${test.url}/v1/documents/demo%2Floop`, { headers });
    expect(response.headers.get('content-type')).toContain('application/json');
  });
});

describe.each([
  ['memory', () => new MemoryStore()],
  ['sqlite', () => new SqliteStore(join(temporaryFolder(), 'woof.db'))],
])('on %s', (_name, makeStore) => {
  it('a document: registered, versioned, listed, started by path and version, removed', async () => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const first = await checked(client, 'documents.register', { body: { text: LOOP, file: 'loop.yaml' } });
    expect(first).toMatchObject({ path: 'demo/loop', name: 'loop', versions: 1, diagnostics: [] });
    const changed = LOOP.replace('range(20)', 'range(3)');
    const second = await checked(client, 'documents.register', { body: { text: changed } });
    expect(second).toMatchObject({ versions: 2 });
    expect(second.version).not.toBe(first.version);

    const params = { path: 'demo/loop' };
    expect(await checked(client, 'documents.get', { params })).toMatchObject({ text: changed });
    const old = await checked(client, 'documents.get', { params, query: { version: first.version } });
    expect(old).toMatchObject({ text: LOOP, version: first.version });
    expect(await checked(client, 'documents.list')).toMatchObject({ documents: [{ path: 'demo/loop' }] });

    const newest = await checked(client, 'executions.start', { body: { path: 'demo/loop' } });
    const older = await checked(client, 'executions.start', {
      body: { path: 'demo/loop', version: first.version },
    });
    for (const [{ execution_id: id }, result] of [
      [newest, 3],
      [older, 190],
    ] as const) {
      expect(await ended(client, id!)).toBe('succeeded');
      expect(await checked(client, 'executions.result', { params: { id } })).toMatchObject({ result });
    }
    const byPath = await checked(client, 'executions.list', { query: { path: 'demo/loop', limit: 1 } });
    expect(byPath).toMatchObject({ executions: [{}], next: expect.any(String) });
    const rest = await checked(client, 'executions.list', {
      query: { path: 'demo/loop', before: byPath.next },
    });
    expect(rest.executions).toHaveLength(1);

    await client.call('documents.remove', { params });
    await expect(client.call('executions.start', { body: { path: 'demo/loop' } })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('everything that can be read of an execution', async () => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const { execution_id: id } = await client.call('executions.start', {
      body: { text: LOOP, file: 'loop.yaml' },
    });
    await ended(client, id);
    const params = { id };
    const shown = await checked(client, 'executions.get', { params });
    expect(shown).toMatchObject({ status: 'succeeded', file: 'loop.yaml', steps: { sum: { result: 190 } } });
    expect(await checked(client, 'executions.row', { params })).toMatchObject({ execution_id: id });
    expect(await checked(client, 'executions.state', { params })).toMatchObject({ seq: shown.events });
    expect(await checked(client, 'executions.why', { params })).toMatchObject({ reasons: [] });
    const firstJobs = await checked(client, 'executions.jobs', { params, query: { limit: 20 } });
    expect(firstJobs).toMatchObject({ jobs: { length: 20 }, next: 'start.1/19' });
    const query = { after: firstJobs.next };
    expect(await checked(client, 'executions.jobs', { params, query })).toMatchObject({
      jobs: [{ job_id: 'sum.1', step: 'sum', status: 'succeeded', fence: 1, lease: null }],
    });
    expect(await checked(client, 'executions.step-runs', { params })).toMatchObject({
      step_runs: [
        { step: 'start', status: 'succeeded', iterations: 20, tasks: 20 },
        { step: 'sum', status: 'succeeded', iterations: 0, tasks: 1 },
      ],
    });
    const page = await checked(client, 'executions.events', { params, query: { limit: 5 } });
    expect(page).toMatchObject({
      next: 5,
      events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }, { seq: 5 }],
    });
    const end = await checked(client, 'executions.events', { params, query: { from: 5, limit: 1000 } });
    expect(end).toMatchObject({ events: { 0: { seq: 6 }, length: Number(shown.events) - 5 } });
    expect(end).not.toHaveProperty('next');
    expect(await checked(client, 'workers.list')).toMatchObject({
      workers: [{ id: 'worker-1', alive: true, info: { slots: 8 } }],
      servers: [{ alive: true }],
    });
  });

  it.each([50, 3000])('%i random values come out exactly as they went in', async (count) => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const values = exactValues(count);
    const text = playbook(`- step: start
  tool: {kind: noop, result: "{{ workload.values }}"}
  next: {arcs: [{step: last}]}
- step: last
  tool: {kind: noop, result: {values: "{{ start | load }}", sum: "{{ 2 ** 64 + 1 }}", half: "{{ 4 / 2 }}"}}`);
    const { execution_id: id } = await client.call('executions.start', {
      body: { text, payload: { values } },
    });
    await ended(client, id);
    const { result } = (await checked(client, 'executions.result', { params: { id } })) as JsonObject;
    const stored = async (sha256: string) => (await client.send('blobs.get', { params: { sha256 } })).text();
    const whole = isReference(result) ? decodeJson(await stored(result.key)) : result;
    expect(whole).toEqual({ values, sum: 2n ** 64n + 1n, half: new Float(2) });
  });

  it('an idempotency key starts one execution, however often and closely together it is sent', async () => {
    const test = await testServer({ store: makeStore() });
    const client = test.as('operator');
    const headers = { 'idempotency-key': 'night' };
    const body = { text: ONE_STEP };
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => client.call('executions.start', { body, headers })),
    );
    expect(new Set(sent.map(({ execution_id }) => execution_id)).size).toBe(1);
    const other = client.call('executions.start', { body: { text: LOOP }, headers });
    await expect(other).rejects.toMatchObject({ code: 'request/conflict' });
    await test.as('admin').call('executions.start', { body, headers });
    expect(await test.store.executions()).toHaveLength(2);
  });

  it('an id that was reserved before a crash is started by the next attempt', async () => {
    const store = makeStore();
    const test = await testServer({ store });
    const client = test.as('operator');
    const headers = { 'idempotency-key': 'k' };
    const body = { text: ONE_STEP };
    const { execution_id } = await client.call('executions.start', { body, headers });
    const [{ key, value }] = (await store.records.list('idempotency')) as unknown as [
      { key: string; value: object },
    ];
    await store.records.put('idempotency', key, { ...value, execution_id: '20260101-000000-reserved' });
    const again = await client.call('executions.start', { body, headers });
    expect(again.execution_id).toBe('20260101-000000-reserved');
    expect(await store.execution(execution_id)).toBeDefined();
    expect(await store.execution('20260101-000000-reserved')).toMatchObject({ status: 'running' });
  });

  it('pause, resume, cancel and rerun, together with their child executions', async () => {
    const test = await testServer({ store: makeStore() });
    const client = test.as('operator');
    const slow = playbook(
      '- step: start\n  tool: {kind: wait, seconds: 3600}',
      'metadata: {name: slow, path: demo/slow}\n',
    );
    await client.call('documents.register', { body: { text: slow } });
    const caller = playbook('- step: start\n  tool: {kind: playbook, path: demo/slow}');
    testWorker(test);
    const { execution_id: id } = await client.call('executions.start', { body: { text: caller } });
    const params = { id };
    const child = async () => (await test.store.executions({ parent: id }))[0];
    await until('it called the other', async () => (await child()) !== undefined);
    await client.call('executions.pause', { params });
    expect((await child())!.status).toBe('paused');
    await expect(client.call('executions.pause', { params })).rejects.toMatchObject({
      code: 'request/conflict',
    });
    await client.call('executions.resume', { params });
    expect((await child())!.status).toBe('running');
    await checked(client, 'executions.cancel', { params, body: { reason: 'enough' } });
    expect(await ended(client, id)).toBe('cancelled');
    expect(await ended(client, (await child())!.execution_id)).toBe('cancelled');
    const again = await checked(client, 'executions.rerun', { params, body: {} });
    expect(again.execution_id).not.toBe(id);
    await client.call('executions.cancel', { params: { id: again.execution_id! } });
  });

  it('a rerun adopts what succeeded', async () => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const text = playbook(
      `- step: start
  tool: {kind: noop, result: 5}
  next: {arcs: [{step: check}]}
- step: check
  tool: {kind: noop, result: "{{ missing }}"}`,
    );
    const { execution_id: id } = await client.call('executions.start', { body: { text } });
    expect(await ended(client, id)).toBe('failed');
    const started = await client.call('executions.rerun', { params: { id }, body: {} });
    const again = (started as { execution_id: string }).execution_id;
    await ended(client, again);
    const { events } = await client.call('executions.events', {
      params: { id: again },
      query: { limit: 1000 },
    });
    expect(events.map(({ name, step }) => `${name} ${step}`)).toContain('step.adopted start');
  });

  it('a large workload: one of 5 MB starts, is read, and runs again with one of its values changed', async () => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const text = playbook(
      `- step: start
  tool: {kind: noop, result: "{{ workload.rows | length }}"}
  next: {arcs: [{step: place}]}
- step: place
  tool: {kind: noop, result: "{{ workload.region }}"}`,
      'metadata: {name: large}\nworkload: {region: eu}\n',
    );
    const rows = Array.from({ length: 50 }, () => 'x'.repeat(100_000));
    const { execution_id: id } = await client.call('executions.start', { body: { text, payload: { rows } } });
    expect(await ended(client, id)).toBe('succeeded');
    const { events } = await client.call('executions.events', { params: { id }, query: { limit: 1000 } });
    for (const event of events) expect(encodeJson(event).length).toBeLessThan(65_536);
    const dry = (payload: JsonObject) =>
      client.call('executions.rerun', { params: { id }, body: { payload, dry_run: true } });
    expect(await dry({ rows, region: 'us' })).toMatchObject({ runs: [{ step: 'place' }] });
    expect(await dry({ rows: rows.slice(1) })).toMatchObject({
      runs: [{ step: 'start' }, { step: 'place' }],
    });
    const rerun = client.call('executions.rerun', { params: { id }, body: { from: 'start' } });
    const again = ((await rerun) as { execution_id: string }).execution_id;
    expect(await ended(client, again)).toBe('succeeded');
    const { result } = await client.call('executions.result', {
      params: { id: again },
      query: { step: 'start' },
    });
    expect(result).toBe(50);
  });

  it('large results: stored by the worker through the server, loaded on demand', async () => {
    const test = await testServer({ store: makeStore() });
    testWorker(test);
    const client = test.as('operator');
    const text = playbook(
      `- step: start
  tool: {kind: noop, result: "{{ 'x' * 200000 }}"}
  next: {arcs: [{step: length}]}
- step: length
  tool: {kind: noop, result: "{{ start | length }}"}`,
    );
    const { execution_id: id } = await client.call('executions.start', { body: { text } });
    expect(await ended(client, id)).toBe('succeeded');
    const params = { id };
    const stored = await client.call('executions.result', {
      params,
      query: { step: 'start', load: 'false' },
    });
    expect(stored.result).toMatchObject({ checksum: expect.stringMatching(/^sha256:/), size: 200_002 });
    const whole = await client.call('executions.result', { params, query: { step: 'start' } });
    expect(whole.result).toBe('x'.repeat(200_000));
    const { key } = stored.result as { key: string };
    const bytes = await (await client.send('blobs.get', { params: { sha256: key } })).text();
    expect(bytes).toBe(JSON.stringify('x'.repeat(200_000)));
  });
});

it('stored values are loaded with their type, and a problem says why one cannot be loaded', async () => {
  const test = await testServer();
  let reference: Reference | undefined;
  // A step that only computes may pass on a reference.
  const giving: Tool = {
    schema: { kind: 'artifact', summary: '', fields: {}, pure: true },
    run: async () => ({ status: 'ok', result: [reference!] }),
  };
  testWorker(test, { tools: [giving] });
  const [client, stored] = [test.as('operator'), new HttpBlobs(test.as('worker'))];
  async function* once(text: string | Uint8Array) {
    yield Buffer.from(text);
  }
  const loaded = async (given: Reference) => {
    reference = given;
    const text = playbook('- step: start\n  tool: {kind: artifact, uri: x}');
    const { execution_id: id } = await client.call('executions.start', { body: { text } });
    expect(await ended(client, id)).toBe('succeeded');
    const asked = client.call('executions.result', {
      params: { id },
      query: { step: 'start', load: 'true' },
    });
    return asked.then(
      ({ result }) => (result as unknown[])[0],
      (error) => `${(error as Problem).code}: ${(error as Problem).message}`,
    );
  };
  const put = (text: string | Uint8Array, type: string) =>
    stored.put(once(text), { hint: { content_type: type }, maxBytes: 1_000_000 });
  const table = Buffer.concat([schemaMessage([{ name: 'n', kind: 'null' }]), END_OF_STREAM]);
  expect(await loaded(await put('{"a": [1]}', 'application/json'))).toEqual({ a: [1] });
  expect(await loaded(await put('a,b\n1,2\n', 'text/csv'))).toBe('a,b\n1,2\n');
  expect(await loaded(await put(table, ARROW_STREAM))).toEqual([]);
  expect(await loaded(await put('{"a": ', 'application/json'))).toMatch(/^request\/conflict: .*is not JSON/);
  expect(await loaded(await put(table.subarray(0, 16), ARROW_STREAM))).toMatch(
    /^request\/conflict: .*cannot be read: it ends before/,
  );
  const known = await put('x', 'text/plain');
  const gone = referenceTo('0'.repeat(64), 1, known.schema_hint);
  expect(await loaded(gone)).toMatch(/^not-found: the stored value 0+ /);
});

it('another store is read with every filter that stores have', async () => {
  const test = await testServer();
  const client = test.as('operator');
  const ids: string[] = [];
  for (let index = 0; index < 4; index++)
    ids.unshift((await client.call('executions.start', { body: { text: ONE_STEP } })).execution_id);
  await client.call('executions.cancel', { params: { id: ids[1]! }, body: {} });
  await client.call('executions.pause', { params: { id: ids[2]! } });
  const remote = new RemoteStore(client);
  const found = async (filter: ExecutionFilter) =>
    (await remote.executions(filter)).map((row) => ids.indexOf(row.execution_id));
  expect(await found({})).toEqual([0, 1, 2, 3]);
  expect(await found({ status: 'running' })).toEqual([0, 3]);
  expect(await found({ status: ['cancelled', 'paused'] })).toEqual([1, 2]);
  expect(await found({ status: ['cancelled', 'paused'], limit: 1 })).toEqual([1]);
  expect(await found({ status: [] })).toEqual([]);
  expect(await found({ driver: 'another' })).toEqual([]);
  expect(await found({ driver: test.server.id, limit: 3 })).toEqual([0, 1, 2]);
});

describe('the size of what is in the log and sent with every job is limited', () => {
  /** So short values stay in the log. */
  const withPayload = (count: number) => ({
    text: ONE_STEP,
    payload: Object.fromEntries(Array.from({ length: count }, (_, n) => [`load_${n}`, 'x'.repeat(1000)])),
  });
  const named = (length: number) => ({
    text: playbook('- step: start\n  tool: {kind: noop}', `metadata: {name: ${'n'.repeat(length)}}\n`),
  });
  it.each([
    ['a payload', withPayload(1000), withPayload(1100)],
    ['a name', named(200), named(201)],
  ])('%s', async (_what, taken, refused) => {
    const test = await testServer();
    const client = test.as('operator');
    const before = await contentsOf(test.store);
    const call = client.call('executions.start', { body: refused });
    await expect(call).rejects.toMatchObject({ status: 413, code: 'request/too-large' });
    expect(await contentsOf(test.store)).toEqual(before);
    expect(await client.call('executions.start', { body: taken })).toMatchObject({ status: 'running' });
  });

  it('a workload of a nested playbook', async () => {
    const test = await testServer();
    testWorker(test);
    const client = test.as('operator');
    const callee = playbook(
      '- step: start\n  tool: {kind: noop}',
      'metadata: {name: callee, path: callee}\n',
    );
    await client.call('documents.register', { body: { text: callee } });
    const caller = (count: number) => {
      const args = Array.from({ length: count }, (_, n) => `load_${n}: "{{ 'x' * 1000 }}"`).join(', ');
      return playbook(`- step: start\n  tool: {kind: playbook, path: callee, args: {${args}}}`);
    };
    const run = async (count: number) => {
      const { execution_id: id } = await client.call('executions.start', { body: { text: caller(count) } });
      await ended(client, id);
      return client.call('executions.row', { params: { id } });
    };
    expect(await run(1000)).toMatchObject({ status: 'succeeded' });
    expect(await run(1100)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('the limit is'),
    });
  });
});
