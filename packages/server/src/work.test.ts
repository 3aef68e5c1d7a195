/** What a worker may say, and how often: raw calls, as made by workers that are lost, late or repeat themselves. */
import type { Client } from '@woof/client';
import { type ClaimAnswer, PROTOCOL_VERSION, type RouteName } from '@woof/protocol';
import { type BodyOf, CALLS, type QueryOf } from '@woof/protocol/http';
import { FileLogs, MemoryStore } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { contentsOf } from './fixtures/contents.ts';
import {
  ended,
  infoOf,
  ONE_STEP,
  playbook,
  type TestServer,
  temporaryFolder,
  testServer,
  testWorker,
  WorkerClient,
} from './fixtures/test-server.ts';

async function claimed(test: TestServer, worker: string): Promise<ClaimAnswer> {
  const body = { ...infoOf(worker), free: 1, wait_ms: 20_000 };
  return test.as('worker').call('work.claim', { body });
}

async function oneJob(test: TestServer, worker = 'one') {
  const { execution_id: id } = await test
    .as('operator')
    .call('executions.start', { body: { text: ONE_STEP } });
  const { jobs } = await claimed(test, worker);
  const [{ execution_id, job_id, fence }] = jobs as [ClaimAnswer['jobs'][number]];
  const [done] = [{ type: 'done', label: 'start', task_run_id: `${job_id}/start.1`, attempt: 1 }] as const;
  const outcome = { status: 'ok', result: 7 } as const;
  const reports = [{ ...done, outcome, directive: { do: 'continue' as const } }];
  const report = (change: object = {}) =>
    test.as('worker').call('work.report', {
      body: { worker, reports: [{ execution_id, job_id, fence, reports, ...change }] },
    });
  return { id, job: { execution_id, job_id, fence }, report };
}

const lineOf = (execution_id: string, text: string) => ({
  execution_id,
  at: '2026-11-15T12:00:00.000Z',
  step: 'start',
  job_id: 'start.1',
  task_run_id: 'start.1/start.1',
  stream: 'stdout' as const,
  text,
});

/** A worker with its own token. */
async function stranger(test: TestServer): Promise<WorkerClient> {
  return new WorkerClient({ url: test.url, token: await test.server.createToken('other', 'worker') });
}

describe('a worker of another version', () => {
  const before = {
    status: 409,
    code: 'worker/protocol',
    message: expect.stringMatching(/upgrade woof on the worker$/),
  };

  it('is told to upgrade at every call, and nothing that it reports counts', async () => {
    const test = await testServer();
    const { id, job, report } = await oneJob(test);
    const headers = { 'woof-protocol': String(PROTOCOL_VERSION - 1) };
    const old = <N extends `work.${string}` & RouteName>(name: N, body: BodyOf<N>) =>
      test.as('worker').call(name, { body, headers });
    const info = infoOf('one', { protocol: PROTOCOL_VERSION - 1 });
    await expect(old('work.claim', { ...info, free: 1, wait_ms: 0 })).rejects.toMatchObject(before);
    await expect(old('work.beat', { ...info, jobs: [job] })).rejects.toMatchObject(before);
    const released = { type: 'released', reason: 'old' } as const;
    const said = { worker: 'one', reports: [{ ...job, reports: [released] }] };
    await expect(old('work.report', said)).rejects.toMatchObject(before);
    await expect(old('work.log', { lines: [lineOf(id, 'old')] })).rejects.toMatchObject(before);
    await expect(old('work.leave', { worker: 'one' })).rejects.toMatchObject(before);
    // The job still belongs to the worker: it may report with the version of the server.
    await expect(report()).resolves.toEqual({ held: [false] });
    expect((await test.store.execution(id))?.status).toBe('succeeded');
  });

  it('is told that the server is the older one', async () => {
    const test = await testServer();
    const body = { ...infoOf('new', { protocol: PROTOCOL_VERSION + 1 }), free: 1, wait_ms: 0 };
    await expect(test.as('worker').call('work.claim', { body })).rejects.toThrow(
      /upgrade woof on the server$/,
    );
  });
});

describe('the answers to a worker', () => {
  /** Parsing with a schema removes what it does not describe. */
  const isDescribed = <T>({ answer }: { answer: { parse(value: unknown): unknown } }, given: T) =>
    expect(answer.parse(given)).toEqual(given);

  it('are described completely', async () => {
    const test = await testServer();
    const text = playbook(
      '- step: start\n  loop: {in: [[1]], iterator: row, loop: {in: "{{ row }}", iterator: n}}\n  tool: {kind: noop}',
    );
    const { execution_id: id } = await test.as('operator').call('executions.start', { body: { text } });
    const answer = await claimed(test, 'one');
    expect(answer.jobs[0]).toMatchObject({ iteration: { item: 1, parent: { iterator: 'row' } } });
    isDescribed(CALLS['work.claim'], answer);
    const jobs = answer.jobs.map(({ execution_id, job_id, fence }) => ({ execution_id, job_id, fence }));
    const beat = await test.as('worker').call('work.beat', { body: { ...infoOf('one'), jobs } });
    isDescribed(CALLS['work.beat'], beat);
    const page = await test.as('viewer').call('executions.events', { params: { id } });
    expect(page.events.length).toBeGreaterThan(5);
    isDescribed(CALLS['executions.events'], page);
  });
});

describe('a worker and its token', () => {
  it('nobody with another token claims, reports or leaves in its name', async () => {
    const test = await testServer();
    const { id, job, report } = await oneJob(test);
    const other = await stranger(test);
    const before = await contentsOf(test.store);
    const refused = { status: 403, code: 'auth/worker' };
    const info = infoOf('one');
    const calls = [
      () => other.call('work.claim', { body: { ...info, free: 1, wait_ms: 0 } }),
      () => other.call('work.beat', { body: { ...info, jobs: [] } }),
      () => other.call('work.report', { body: { worker: 'one', reports: [{ ...job, reports: [] }] } }),
      () => other.call('work.leave', { body: { worker: 'one' } }),
      () => other.call('work.secrets', { body: { worker: 'one', ...job } }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refused);
    expect(await contentsOf(test.store)).toEqual(before);
    await report();
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  });

  it('the name of a worker that left is free', async () => {
    const test = await testServer();
    await oneJob(test);
    await test.as('worker').call('work.leave', { body: { worker: 'one' } });
    const other = await stranger(test);
    const body = { ...infoOf('one'), free: 1, wait_ms: 20_000 };
    expect(await other.call('work.claim', { body })).toMatchObject({ jobs: [{ fence: 2 }] });
  });

  it('a job belongs only to its holder, whatever another worker knows about it', async () => {
    const test = await testServer();
    const { id, job, report } = await oneJob(test);
    const other = await stranger(test);
    await other.call('work.beat', { body: { ...infoOf('two'), jobs: [] } });
    const stale = { status: 409, code: 'worker/stale' };
    await expect(other.call('work.secrets', { body: { worker: 'two', ...job } })).rejects.toMatchObject(
      stale,
    );
    const request = { path: 'any', args: {}, iter: {}, key: 'start.1/start.1' };
    const child = other.call('work.child', { body: { worker: 'two', ...job, granted: {}, request } });
    await expect(child).rejects.toMatchObject(stale);
    const released = { ...job, reports: [{ type: 'released' as const, reason: 'mine now' }] };
    const reported = await other.call('work.report', { body: { worker: 'two', reports: [released] } });
    expect(reported).toEqual({ held: [false] });
    const beat = await other.call('work.beat', { body: { ...infoOf('two'), jobs: [job] } });
    expect(beat).toMatchObject({ stop: [{ job_id: job.job_id }] });
    await report();
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  });

  it('ends only executions that were called by a job that it holds', async () => {
    const test = await testServer();
    const operator = test.as('operator');
    const callee = playbook(
      '- step: start\n  tool: {kind: wait, seconds: 600}',
      'metadata: {name: c, path: c}\n',
    );
    await operator.call('documents.register', { body: { text: callee } });
    const { id, job } = await oneJob(test);
    const request = { path: 'c', args: {}, iter: {}, key: `${job.job_id}/start.1` };
    const called = await test
      .as('worker')
      .call('work.child', { body: { worker: 'one', ...job, granted: {}, request } });
    const child = 'execution_id' in called ? called.execution_id : '';
    const other = await stranger(test);
    const cancel = (client: Client, worker: string, execution_id: string) =>
      client.call('work.cancelChild', { body: { worker, execution_id, reason: 'enough' } });
    await expect(cancel(other, 'two', child)).rejects.toMatchObject({ code: 'worker/stale' });
    await expect(cancel(test.as('worker'), 'one', id)).rejects.toMatchObject({ code: 'auth/role' });
    expect(await operator.call('executions.row', { params: { id: child } })).toMatchObject({
      status: 'running',
    });
    await cancel(test.as('worker'), 'one', child);
    expect(await ended(operator, child)).toBe('cancelled');
  });
});

describe('work', () => {
  it('a report that is sent twice counts once', async () => {
    const test = await testServer();
    const { id, report } = await oneJob(test);
    await report();
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
    const before = await contentsOf(test.store);
    expect(await report()).toEqual({ held: [false] });
    expect(await contentsOf(test.store)).toEqual(before);
  });

  it('a report with another fence is refused, and the right one is still accepted', async () => {
    const test = await testServer();
    const { id, job, report } = await oneJob(test);
    const before = await contentsOf(test.store);
    expect(await report({ fence: job.fence - 1 })).toEqual({ held: [false] });
    expect(await report({ fence: job.fence + 1 })).toEqual({ held: [false] });
    expect(await report({ execution_id: 'none' })).toEqual({ held: [false] });
    expect(await report({ job_id: 'odd.1' })).toEqual({ held: [false] });
    expect(await contentsOf(test.store)).toEqual(before);
    await report();
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  });

  it('a worker that leaves hands its job to another, and its later reports are refused', async () => {
    const test = await testServer();
    const { id, report } = await oneJob(test, 'first');
    await test.as('worker').call('work.leave', { body: { worker: 'first' } });
    const { jobs } = await claimed(test, 'second');
    expect(jobs).toMatchObject([{ execution_id: id, fence: 2 }]);
    expect(await report()).toEqual({ held: [false] });
    expect((await test.store.execution(id))!.status).toBe('running');
  });

  it('a worker that sends no heartbeat loses its job to another', async () => {
    const test = await testServer({ ttlMs: 300 });
    const { id } = await oneJob(test, 'silent');
    testWorker(test, { id: 'lively' });
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
    const { events } = await test.as('viewer').call('executions.events', { params: { id } });
    const leased = events.filter(({ name }) => name === 'job.leased').map(({ data }) => data.worker);
    expect(leased).toEqual(['silent', 'lively']);
  });

  it('a claim whose caller disconnected keeps no job', async () => {
    const test = await testServer();
    const gone = new AbortController();
    const body = { ...infoOf('gone'), free: 1, wait_ms: 60_000 };
    const claim = test.as('worker').call('work.claim', { body, signal: gone.signal });
    gone.abort();
    await expect(claim).rejects.toThrow();
    const { id, report } = await oneJob(test, 'here');
    await report();
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  });

  it('a step that waits for approval continues when it is approved', async () => {
    const test = await testServer();
    const { id, job } = await oneJob(test);
    const operator = test.as('operator');
    const params = { id };
    const early = operator.call('executions.approve', { params, body: { step: 'start' } });
    await expect(early).rejects.toMatchObject({ code: 'request/conflict' });
    const parked = { ...job, reports: [{ type: 'parked' as const, human: { reason: 'sure?' }, memo: 1 }] };
    await test.as('worker').call('work.report', { body: { worker: 'one', reports: [parked] } });
    expect(await operator.call('executions.row', { params })).toMatchObject({ status: 'needs_human' });
    await operator.call('executions.approve', { params, body: { step: 'start', note: 'yes' } });
    const { events } = await operator.call('executions.events', { params });
    expect(events.find(({ name }) => name === 'step.approved')).toMatchObject({
      data: { by: 'operator', note: 'yes' },
    });
    expect((await claimed(test, 'one')).jobs).toMatchObject([{ execution_id: id }]);
  });

  it('the output of tasks is read in pages', async () => {
    const test = await testServer();
    const { id } = await oneJob(test);
    const line = (text: string) => lineOf(id, text);
    const lines = Array.from({ length: 5 }, (_, index) => line(`line ${index} é\n`));
    await test.as('worker').call('work.log', { body: { lines } });
    const read = (query: { from?: string; limit?: number }) =>
      test.as('viewer').call('executions.logs', { params: { id }, query });
    const first = await read({ limit: 2 });
    expect(first.lines.map(({ text }) => text)).toEqual(['line 0 é\n', 'line 1 é\n']);
    const rest = await read({ from: first.next });
    expect(rest.lines.map(({ text }) => text)).toEqual(['line 2 é\n', 'line 3 é\n', 'line 4 é\n']);
    expect(await read({ from: rest.next })).toEqual({ lines: [], next: rest.next });
  });

  it('the output of tasks is read from either end, by step, stream and text', async () => {
    const test = await testServer();
    const { id } = await oneJob(test);
    const lines = Array.from({ length: 3000 }, (_, n) => ({
      ...lineOf(id, `line ${n}: 100 % [ok] \u001b[32m.*\n`),
      step: n === 1234 ? 'rare' : 'often',
      stream: n % 1000 === 7 ? ('stderr' as const) : ('stdout' as const),
    }));
    await test.as('worker').call('work.log', { body: { lines } });
    const read = async (query: QueryOf<'executions.logs'>) => {
      const page = await test.as('viewer').call('executions.logs', { params: { id }, query });
      return { ...page, numbers: page.lines.map(({ text }) => Number(/\d+/.exec(text)![0])) };
    };
    const tail = await read({ tail: 2 });
    expect(tail.numbers).toEqual([2998, 2999]);
    expect((await read({ before: tail.previous, limit: 2 })).numbers).toEqual([2996, 2997]);
    expect((await read({ before: tail.lines[1]!.cursor, limit: 1 })).numbers).toEqual([2998]);
    expect((await read({ step: 'rare', limit: 1 })).numbers).toEqual([1234]);
    expect((await read({ step: 'rare', tail: 5 })).previous).toBeUndefined();
    expect((await read({ stream: 'stderr' })).numbers).toEqual([7, 1007, 2007]);
    expect((await read({ q: 'LINE 299', step: 'often', tail: 3 })).numbers).toEqual([2997, 2998, 2999]);
    for (const q of ['[OK] \u001b[32m.*', '100 %'])
      expect((await read({ q, limit: 2 })).numbers).toEqual([0, 1]);
    for (const q of ['l.ne', '[0-9]', '100 _', 'often', 'stderr'])
      expect((await read({ q })).lines).toEqual([]);
  });

  it('an invalid query of logs is refused, and a cursor of another run shows nothing of it', async () => {
    const test = await testServer();
    const { id } = await oneJob(test);
    const other = await oneJob(test, 'two');
    await test.as('worker').call('work.log', { body: { lines: [lineOf(id, 'mine\n')] } });
    await test
      .as('worker')
      .call('work.log', { body: { lines: [lineOf(other.id, `theirs ${'x'.repeat(999)}\n`)] } });
    const read = (of: string, query: string) => rawLogs(test, `${of}/logs?${query}`);
    for (const query of [
      'tail=-1',
      'tail=0',
      'tail=1e9',
      'limit=-5',
      'from=-1',
      'from=1.5',
      'before=x',
      'q=',
      'q=a%00',
      'stream=both',
      'from=1&tail=1',
      `q=${'x'.repeat(501)}`,
      'order=newest',
    ])
      expect([query, (await read(id, query)).status]).toEqual([query, 400]);
    const { next } = (await (await read(other.id, 'tail=1')).json()) as { next: string };
    for (const query of [`from=${next}`, `before=${next}`, 'from=3', 'before=999999999999999'])
      expect(await (await read(id, query)).text()).not.toContain('theirs');
    expect(await (await read(id, 'from=0')).text()).toContain('mine');
  });

  it('logs are streamed as they arrive, and from where a listener left off', async () => {
    const test = await testServer();
    const { id, report } = await oneJob(test);
    const write = (...texts: string[]) =>
      test.as('worker').call('work.log', { body: { lines: texts.map((text) => lineOf(id, text)) } });
    await write('one', 'skip', 'two');
    const accept = { accept: 'text/event-stream' };
    const stream = await rawLogs(test, `${id}/logs?tail=1&q=o`, accept);
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    const heard = blocksOf(stream);
    const first = await heard.next();
    expect(first.value).toMatchObject({ event: 'lines', data: { lines: [{ text: 'two' }] } });
    await write('skip', 'foo');
    expect((await heard.next()).value).toMatchObject({ data: { lines: [{ text: 'foo' }] } });
    await report();
    expect((await heard.next()).value).toMatchObject({ event: 'end' });
    const again = blocksOf(
      await rawLogs(test, `${id}/logs`, { ...accept, 'last-event-id': first.value!.id! }),
    );
    const { lines } = (await again.next()).value!.data as { lines: { text: string }[] };
    expect(lines.map(({ text }) => text)).toEqual(['skip', 'foo']);
    expect((await again.next()).value).toMatchObject({ event: 'end' });
  });

  it.each(['the same server', 'another server'])(
    'a listener of task output gets it at once: %s',
    async (where) => {
      const store = new MemoryStore();
      const folder = temporaryFolder();
      const test = await testServer({ store, logs: new FileLogs(folder) });
      const other = await testServer({ store, logs: new FileLogs(folder) });
      const { id, report } = await oneJob(test);
      const reader = (where === 'the same server' ? test : other).as('viewer');
      const next = (from?: string) =>
        reader.call('executions.logs', { params: { id }, query: { from, wait_ms: 25_000 } });
      const first = next();
      await test.as('worker').call('work.log', { body: { lines: [lineOf(id, 'one\n')] } });
      expect(await first).toMatchObject({ lines: [{ text: 'one\n' }] });
      const second = next((await first).next);
      await report();
      expect(await second).toMatchObject({ lines: [] });
      expect([...test.faults, ...other.faults]).toEqual([]);
    },
  );

  it('why says that a step is waiting for a worker', async () => {
    const test = await testServer();
    const text = playbook('- step: start\n  tool: {kind: noop, result: 1}');
    const { execution_id: id } = await test.as('operator').call('executions.start', { body: { text } });
    const why = await test.as('viewer').call('executions.why', { params: { id } });
    expect(why.reasons).toMatchObject([
      { step: 'start', reason: expect.stringContaining('waits for a worker') },
    ]);
    testWorker(test);
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  });
});

function rawLogs({ url, tokens }: TestServer, path: string, headers: Record<string, string> = {}) {
  return fetch(`${url}/v1/executions/${path}`, {
    headers: { authorization: `Bearer ${tokens.viewer}`, ...headers },
  });
}

/** The events of a stream that have data. */
async function* blocksOf(answer: Response) {
  let rest = '';
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks.filter((text) => text.includes('data: '))) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      yield { id: field('id'), event: field('event'), data: JSON.parse(field('data')!) as object };
    }
  }
}
