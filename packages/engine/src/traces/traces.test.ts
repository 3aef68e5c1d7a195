import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Event, failure, type Outcome, type Plan } from '@woof/net';
import { FileBlobs, MemoryStore } from '@woof/stores';
import { loop, plan, step, task } from '@woof/testkit';
import { createTools, type Tool, type ToolCall } from '@woof/tools';
import { Worker } from '@woof/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../engine.ts';
import { parseTraceparent } from './trace-context.ts';
import { TraceExporter, type TraceExporterOptions } from './trace-exporter.ts';
import { traceSettings } from './trace-settings.ts';

interface SeenSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  events: { name: string }[];
  status: { code: number; message?: string };
}

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-traces-'));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A collector on loopback; `answer` returns the status for each request, or never answers. */
async function collector(answer: (count: number) => number | 'never' = () => 200) {
  const spans: SeenSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  let count = 0;
  const take = (request: IncomingMessage, text: string, response: ServerResponse) => {
    count += 1;
    headers.push(request.headers);
    const status = answer(count);
    if (status === 'never') return;
    if (status === 200) {
      const body = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: SeenSpan[] }[] }[] };
      spans.push(...body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
    }
    response.writeHead(status).end('{}');
  };
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => take(request, text, response));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  return { url, spans, headers, requests: () => count };
}

type Behaviour = (call: ToolCall) => Outcome | Promise<Outcome>;

/** A process with an engine, a worker and an exporter. */
function boot(url: string, probe: Behaviour, more: Partial<TraceExporterOptions> = {}) {
  const store = new MemoryStore();
  const faults: unknown[] = [];
  const exporter = new TraceExporter({
    store,
    url,
    service: 'woof',
    version: '1',
    pauseMs: 1,
    onFault: (error) => faults.push(error),
    ...more,
  });
  const tool: Tool = { schema: { kind: 'probe', summary: '', fields: {} }, run: async (call) => probe(call) };
  const blobs = new FileBlobs(join(folder, 'blobs'));
  const logs = { write: () => {}, close: async () => {} };
  const tools = new Map([...createTools(), ['probe', tool]]);
  const onFree = () => engine.slotFreed();
  const worker = new Worker({ id: 'w', slots: 8, tools, blobs, logs, sandbox: true, hidden: [], onFree });
  const child = plan([step('inner', { tasks: [probeTask('deep')] })]);
  const engine: Engine = new Engine({
    store,
    blobs,
    executor: worker,
    resolve: async () => ({ plan: child, source: { folder } }),
    onEvents: (id, events) => exporter.note(id, events),
  });
  const run = async (document: Plan, source: Record<string, string> = {}) =>
    engine.finished(await engine.start({ plan: document, source: { folder, ...source }, workload: {} }));
  return { engine, exporter, run, faults, store };
}

const probeTask = (label: string, more = {}) => task(label, { kind: 'probe', ...more });
const ok: Outcome = { status: 'ok', result: 'a secret result' };

const attribute = (span: SeenSpan, key: string) => {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** `parent > child` by names. Also checks that every child lies within its parent. */
function tree(spans: SeenSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return spans.map((span) => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    if (parent) {
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent.startTimeUnixNano));
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent.endTimeUnixNano));
    }
    return `${parent?.name ?? '-'} > ${span.name}`;
  });
}

describe('traces', () => {
  it('show execution, steps, iterations, tasks and nested playbooks', async () => {
    const { url, spans } = await collector();
    const { run, exporter, faults } = boot(url, async () => {
      const begun = Date.now();
      while (Date.now() === begun) await new Promise((resolve) => setImmediate(resolve));
      return ok;
    });
    const document = plan([
      step('first', { loop: loop([1, 2]), tasks: [probeTask('a'), probeTask('b')], to: ['call'] }),
      step('call', { tasks: [task('kid', { kind: 'playbook', input: { path: 'x' } })] }),
    ]);
    const before = Date.now();
    const state = await run(document);
    await exporter.close();
    expect(faults).toEqual([]);
    expect(state.status).toBe('succeeded');
    expect(tree(spans).sort()).toEqual(
      [
        '- > test',
        'test > first',
        'first > first[0]',
        'first > first[1]',
        'first[0] > a',
        'first[0] > b',
        'first[1] > a',
        'first[1] > b',
        'test > call',
        'call > kid',
        'call > test',
        'test > inner',
        'inner > deep',
      ].sort(),
    );
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(spans.length);
    for (const span of spans.filter(({ name }) => name === 'a' || name === 'b')) {
      const [start, end] = [span.startTimeUnixNano, span.endTimeUnixNano].map((nanos) =>
        Number(BigInt(nanos) / 1_000_000n),
      );
      expect(start).toBeGreaterThanOrEqual(before);
      expect(end! - start!).toBeGreaterThan(0);
    }
    expect(spans.filter((span) => span.status.code !== 1)).toEqual([]);
    expect(JSON.stringify(spans)).not.toContain('a secret result');
  });

  it('show retries as events and errors as status', async () => {
    const { url, spans } = await collector();
    const { run, exporter } = boot(url, () => failure('timeout', 'too slow', { retryable: true }));
    const rules = [{ when: "{{ outcome.status == 'error' }}", then: { do: 'retry', attempts: 2 } }];
    await run(plan([step('s', { tasks: [probeTask('p', { rules })] })]));
    await exporter.close();
    const [first, second] = spans.filter((span) => span.name === 'p');
    expect([attribute(first!, 'woof.attempt'), attribute(second!, 'woof.attempt')]).toEqual(['1', '2']);
    expect(first!.status).toEqual({ code: 2, message: 'too slow' });
    const stepSpan = spans.find((span) => span.name === 's')!;
    expect(stepSpan.events.map((event) => event.name)).toEqual(['job.leased', 'retry']);
    expect(stepSpan.status.code).toBe(2);
    const root = spans.find((span) => span.parentSpanId === undefined)!;
    expect(root.status).toMatchObject({ code: 2, message: expect.stringContaining('too slow') });
    expect(attribute(root, 'woof.status')).toBe('failed');
  });

  it('are the same, whoever reads the log', async () => {
    const { url, spans } = await collector();
    const { run, exporter, store } = boot(url, () => ok);
    const { execution_id } = await run(plan([step('s', { tasks: [probeTask('p')] })]));
    await exporter.close();
    const mine = spans.splice(0);
    const other = new TraceExporter({ store, url, service: 'woof', version: '1', onFault: () => {} });
    other.note(execution_id, [{ name: 'playbook.processed', at: 0 } as Event]);
    await other.close();
    expect(spans).toEqual(mine);
  });

  it('join the trace of whoever started the execution, if that is wanted', async () => {
    const { url, spans, headers } = await collector();
    const { run, exporter } = boot(url, () => ok, { headers: { 'x-key': 'k' } });
    const document = plan([step('s', { tasks: [probeTask('p')] })]);
    const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    await run(document, { traceparent: `00-${trace}-${span}-01` });
    await run(document, { traceparent: `00-${trace.replace('4', '5')}-${span}-00` });
    await exporter.close();
    expect(new Set(spans.map((one) => one.traceId))).toEqual(new Set([trace]));
    expect(spans.find((one) => one.name === 'test')!.parentSpanId).toBe(span);
    expect(headers[0]!['x-key']).toBe('k');
  });
});

describe('a collector that', () => {
  const document = plan([step('s', { tasks: [probeTask('p')] })]);

  it('fails for a while gets the spans later', async () => {
    const { url, spans, requests } = await collector((count) => (count < 3 ? 503 : 200));
    const { run, exporter, faults } = boot(url, () => ok);
    await run(document);
    await exporter.close();
    expect([spans.length, requests(), faults]).toEqual([3, 3, []]);
  });

  it('refuses is not asked again', async () => {
    const { url, requests } = await collector(() => 400);
    const { run, exporter, faults } = boot(url, () => ok);
    await run(document);
    await exporter.close();
    expect([requests(), exporter.counts]).toEqual([1, { sent: 0, dropped: 1 }]);
    expect(String(faults[0])).toContain('answered 400');
  });

  it('never answers changes nothing: runs end, and what is too much is dropped', async () => {
    const { url } = await collector(() => 'never');
    const { run, exporter } = boot(url, () => ok, { mostWaiting: 3 });
    const states = await Promise.all(Array.from({ length: 20 }, () => run(document)));
    expect(states.every((state) => state.status === 'succeeded')).toBe(true);
    expect(exporter.counts.dropped).toBe(16);
    await exporter.close(50);
    expect(exporter.counts).toEqual({ sent: 0, dropped: 20 });
  });

  it('is unreachable changes nothing', async () => {
    const { run, exporter, faults } = boot('http://127.0.0.1:1/v1/traces', () => ok, { attempts: 2 });
    expect((await run(document)).status).toBe('succeeded');
    await exporter.close();
    expect(exporter.counts).toEqual({ sent: 0, dropped: 1 });
    expect(String(faults[0])).toContain('cannot reach the collector');
  });
});

describe('settings', () => {
  it.each([
    [{}, undefined],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/' },
      { url: 'http://c:4318/v1/traces', headers: {}, service: 'woof' },
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, undefined],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc, x=1=2',
        OTEL_SERVICE_NAME: 'night',
      },
      { url: 'http://t/x', headers: { authorization: 'Bearer abc', x: '1=2' }, service: 'night' },
    ],
  ])('%j', (env, expected) => {
    expect(traceSettings(env)).toEqual(expected);
  });

  it.each(['', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `ff-${'1'.repeat(32)}-00f067aa0ba902b7-01`])(
    'no traceparent: %j',
    (text) => expect(parseTraceparent(text)).toBeUndefined(),
  );
});
