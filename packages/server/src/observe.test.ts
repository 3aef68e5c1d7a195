import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadState } from '@woof/engine';
import { PROTOCOL_VERSION } from '@woof/protocol';
import { describe, expect, it } from 'vitest';
import { type CalledServer, calledServer, TIDY } from './fixtures/plain-calls.ts';
import { ServerLog } from './log/server-log.ts';

let one: CalledServer;

const start = (headers = {}) => one.call('POST', '/v1/executions', { text: TIDY }, headers);
const worker = (labels: Record<string, string>) => ({
  worker: 'w1',
  protocol: PROTOCOL_VERSION,
  version: '0',
  slots: 1,
  labels,
  kinds: ['noop'],
});

describe('the queue', () => {
  it('says what is waiting, what it needs and why no worker takes it', async () => {
    one = await calledServer();
    const { body } = await start();
    const queue = async () => (await one.call('GET', '/v1/queue')).body;
    const wants = { labels: { zone: 'eu' }, kinds: ['noop'] };
    const waiting = { execution_id: body.execution_id, step: 'start', job_id: 'start.1', priority: 0, wants };
    expect(await queue()).toMatchObject({
      jobs: 1,
      waiting: [{ ...waiting, reason: 'no worker is connected' }],
    });
    await one.server.work.beat({ ...worker({ zone: 'us' }), jobs: [] });
    expect((await queue()).waiting[0].reason).toBe(
      'none of the connected workers (1) has zone=eu, tool noop',
    );
    await one.server.work.beat({ ...worker({ zone: 'eu' }), jobs: [] });
    expect((await queue()).waiting[0].reason).toBe('all suitable workers are busy: 1');
    const { jobs } = await one.server.work.claim({ ...worker({ zone: 'eu' }), free: 1, wait_ms: 5000 });
    expect(jobs).toHaveLength(1);
    expect(await queue()).toMatchObject({ jobs: 0, waiting: [] });
  });

  it('says which runs wait only because others go first', async () => {
    const now = Date.now();
    one = await calledServer({ now: () => now });
    const { body: busy } = await start();
    const { body: other } = await start();
    void one.server.parts.engine.took(busy.execution_id, 1000);
    const { jobs } = await one.server.work.claim({ ...worker({ zone: 'eu' }), free: 1, wait_ms: 5000 });
    expect(jobs).toMatchObject([{ execution_id: other.execution_id }]);
    const { waiting } = (await one.call('GET', '/v1/queue')).body;
    expect(waiting).toMatchObject([
      { execution_id: busy.execution_id, reason: expect.stringContaining('lets others go first') },
    ]);
  });
});

describe('limits', () => {
  it('show who holds a permit, and who is waiting for one here', async () => {
    one = await calledServer();
    await one.server.work.beat({ ...worker({}), jobs: [] });
    const ask = { worker: 'w1', key: 'service', concurrency: 1, per_second: null };
    await one.server.work.enter({ ...ask, holder: 'a' });
    expect((await one.server.work.enter({ ...ask, holder: 'b' })).wait_ms).toBeGreaterThan(0);
    const limits = async () => (await one.call('GET', '/v1/limits')).body.limits;
    expect(await limits()).toMatchObject([
      { key: 'service', held: [{ holder: 'a', worker: 'w1' }], waiting: [{ holder: 'b', worker: 'w1' }] },
    ]);
    await one.server.work.exit({ key: 'service', holder: 'a' });
    await one.server.work.enter({ ...ask, holder: 'b' });
    expect(await limits()).toMatchObject([{ held: [{ holder: 'b' }], waiting: [] }]);
  });

  it('a full server answers 429 and says when to retry', async () => {
    one = await calledServer({ maxRunning: 2 });
    expect([(await start()).status, (await start()).status]).toEqual([201, 201]);
    const full = await start();
    expect([full.status, full.body.code]).toEqual([429, 'request/too-many']);
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
    const [row] = await one.store.executions();
    await one.call('POST', `/v1/executions/${row!.execution_id}/cancel`);
    expect((await start()).status).toBe(201);
  });

  it('so does one whose executions use too much memory', async () => {
    one = await calledServer({ engineLimits: { process_bytes: 1 } });
    expect((await start()).status).toBe(201);
    const full = await start();
    expect([full.status, full.body.detail]).toEqual([429, expect.stringContaining('--limit process_bytes')]);
    const [row] = await one.store.executions();
    await one.call('POST', `/v1/executions/${row!.execution_id}/cancel`);
    expect((await start()).status).toBe(201);
  });
});

describe('metrics', () => {
  it('count executions, calls and members', async () => {
    one = await calledServer();
    await start();
    await one.call('GET', '/v1/nothing');
    const { text, headers, status } = await one.call('GET', '/metrics');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const lines = text.split('\n');
    for (const line of [
      'woof_executions_started_total 1',
      'woof_executions_live 1',
      'woof_queue_jobs{priority="0"} 1',
      'woof_members_alive{kind="server"} 1',
      'woof_members_alive{kind="worker"} 0',
      'woof_http_requests_total{call="executions.start",status="201"} 1',
      'woof_http_requests_total{call="unknown",status="404"} 1',
      'woof_event_listeners 0',
    ])
      expect(lines).toContain(line);
    expect(Number(/^woof_commit_seconds_count (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  });

  it('are not shown to strangers', async () => {
    one = await calledServer();
    expect((await one.call('GET', '/metrics', undefined, { authorization: '' })).status).toBe(401);
  });
});

describe('the log', () => {
  it('has a record of every call that changes something, with its request id, and no secret', async () => {
    const lines: string[] = [];
    const log = new ServerLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
    one = await calledServer({ log });
    const body = { text: TIDY, payload: { region: 'a-secret-region' } };
    const { headers, body: made } = await one.call('POST', '/v1/executions', body);
    await one.call('GET', '/v1/me');
    await one.call('GET', '/v1/me', undefined, {
      authorization: 'Bearer woof_0123456789_wrongwrongwrongwrongwrongwrong',
    });
    const records = lines.map((line) => JSON.parse(line));
    expect(records).toMatchObject([
      { level: 'info', call: 'executions.start', status: 201, request_id: headers.get('x-request-id') },
      { level: 'debug', call: 'me.get', status: 200, token_id: expect.stringMatching(/^\w+$/) },
      { level: 'debug', call: 'me.get', status: 401 },
    ]);
    const id = made.execution_id;
    await one.call('POST', `/v1/executions/${id}/cancel`);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ call: 'executions.cancel', execution_id: id });
    expect(lines.join('')).not.toMatch(/a-secret-region|wrongwrong|Bearer/);
  });
});

describe('traces', () => {
  it('join the traceparent of the call that started the execution', async () => {
    const seen: string[] = [];
    const collector = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        seen.push(text);
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    one = await calledServer({
      traces: { url: `http://127.0.0.1:${port}/v1/traces`, headers: {}, service: 'woof' },
    });
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { body } = await start({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    await one.call('POST', `/v1/executions/${body.execution_id}/cancel`);
    expect((await loadState(one.store, body.execution_id))!.status).toBe('cancelled');
    await one.stop();
    collector.close();
    expect(seen).toHaveLength(1);
    const [{ scopeSpans }] = JSON.parse(seen[0]!).resourceSpans;
    const { spans } = scopeSpans[0];
    expect(spans.map((span: { name: string }) => span.name).sort()).toEqual(['start', 'tidy']);
    expect(new Set(spans.map((span: { traceId: string }) => span.traceId))).toEqual(new Set([trace]));
  });
});
