/** What the page of a run reads besides its state. All tests share one server and worker. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteStore } from '@woof/stores';
import { buildRun, openBundle, readRun } from '@woof/workbook-build';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ended,
  playbook,
  type TestServer,
  temporaryFolder,
  testServer,
  testWorker,
} from './fixtures/test-server.ts';
import type { BuildReport } from './parts.ts';

const ends: (() => void | Promise<void>)[] = [];
let test: TestServer;

beforeAll(async () => {
  const onEnd = (end: () => void | Promise<void>) => void ends.unshift(end);
  const report: BuildReport = async (source) => {
    const { run } = await readRun(source);
    return { html: buildRun(run, { part: () => '' }) };
  };
  test = await testServer({ store: new SqliteStore(`${temporaryFolder(onEnd)}/woof.db`), report }, onEnd);
  testWorker(test, {}, onEnd);
});

afterAll(async () => {
  for (const end of ends) await end();
});

async function start(text: string, more: object = {}): Promise<string> {
  const body = { text, ...more };
  return (await test.as('operator').call('executions.start', { body })).execution_id;
}

async function run(text: string, more: object = {}): Promise<string> {
  const id = await start(text, more);
  await ended(test.as('viewer'), id);
  return id;
}

async function rerun(id: string, body: object = {}) {
  const answer = await test.as('operator').call('executions.rerun', { params: { id }, body });
  return answer as { execution_id: string };
}

const read = (name: 'executions.source', id: string) => test.as('viewer').call(name, { params: { id } });

describe('the document of a run', () => {
  it('is its text at the start of the run, with the lines of its steps', async () => {
    const text = playbook(
      '- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end}]}\n\n- step: end\n  tool: {kind: noop}',
    );
    const id = await run(text, { file: 'two.yaml' });
    expect(await read('executions.source', id)).toEqual({
      file: 'two.yaml',
      text,
      language: 'yaml',
      steps: { start: { line: 5, end_line: 7 }, end: { line: 9, end_line: 10 } },
    });
    const { execution_id: again } = await rerun(id);
    expect((await read('executions.source', again)).text).toBe(text);
  });

  it('works for a notebook, and for a version that was replaced', async () => {
    const text = (value: string) =>
      `%WOOFNB 1.0\nname: n\nlanguage: bash\n\n\`\`\`cell id=a type=data\n${value}\n\`\`\`\n`;
    const id = await start(text('1'));
    await start(text('2'));
    expect(await read('executions.source', id)).toMatchObject({
      text: text('1'),
      language: 'woofnb',
      steps: { a: { line: 5, end_line: 7 } },
    });
  });

  it('shows where the run failed', async () => {
    const id = await run(
      playbook(
        '- step: start\n  tool:\n    kind: noop\n    result: "{{ 1 / workload.zero }}"',
        'workload: {zero: 0}\n',
      ),
    );
    const { error, text } = await read('executions.source', id);
    expect(error).toMatchObject({ step: 'start', message: expect.stringContaining('division') });
    const line = text.split('\n')[error!.line - 1]!;
    expect(line.slice(error!.column! - 1)).toMatch(/^\{\{ 1/);
  });

  it('is a problem that says so if it was not kept', async () => {
    const plan = (await test.store.plan(
      (await test.store.execution(await run(playbook('- step: start\n  tool: {kind: noop}'))))!.plan_hash,
    ))!;
    const id = await test.server.parts.engine.start({ plan, source: {}, workload: {} });
    await expect(read('executions.source', id)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('was not kept'),
    });
  });
});

describe('a rerun', () => {
  const THREE = (result: string, more = '') =>
    playbook(
      `- step: start
  tool: {kind: noop, result: "{{ workload.n }}"}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: noop, result: "${result}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, result: "{{ ask }} {{ workload.m }}"}`,
      `metadata: {name: three, path: demo/three}\nworkload: {n: 1, m: 2${more}}\n`,
    );
  const preview = async (id: string, body: object = {}) => {
    const answer = await test
      .as('operator')
      .call('executions.rerun', { params: { id }, body: { ...body, dry_run: true } });
    return answer as unknown as { reused: StepReason[]; runs: StepReason[]; problems: string[] };
  };
  type StepReason = { step: string; reason: string };
  const resultOf = async (id: string) => {
    await ended(test.as('viewer'), id);
    return (await test.as('viewer').call('executions.result', { params: { id }, query: { step: 'end' } }))
      .result;
  };
  const rows = async () => (await test.as('viewer').call('executions.list', { query: {} })).executions.length;

  it('with other values runs the steps that may read them, as its preview says', async () => {
    const id = await run(THREE('{{ start + 1 }}'));
    const before = await rows();
    expect(await preview(id, { payload: { m: 7 } })).toEqual({
      reused: [
        { step: 'start', reason: 'it succeeded' },
        { step: 'ask', reason: 'it succeeded' },
      ],
      runs: [{ step: 'end', reason: 'it may read workload.m, which changed' }],
      problems: [],
    });
    expect((await preview(id, { payload: { n: 1 } })).runs[0]).toMatchObject({
      reason: 'the whole run succeeded',
    });
    expect((await preview(id, { payload: { n: 2 } })).runs.map(({ step }) => step)).toEqual([
      'start',
      'ask',
      'end',
    ]);
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`text_${n}`, 'x'.repeat(1000)]));
    expect((await preview(id, { payload: many })).problems).toHaveLength(1);
    expect(await rows()).toBe(before);
    const { execution_id: again } = await rerun(id, { payload: { m: 7 } });
    expect(await resultOf(again)).toBe('2 7');
    const row = await test.as('viewer').call('executions.get', { params: { id: again } });
    expect(row.workload).toEqual({ n: 1, m: 7 });
  });

  it('of another version runs what differs there, with the values of that version', async () => {
    const register = (text: string) => test.as('operator').call('documents.register', { body: { text } });
    await register(THREE('{{ start + 1 }}'));
    const { execution_id: id } = await test
      .as('operator')
      .call('executions.start', { body: { path: 'demo/three', payload: { m: 5 } } });
    await ended(test.as('viewer'), id);
    const text = `# moved by a line\n${THREE('{{ start + 10 }}', ', k: 3')}`;
    const { version } = await register(text);
    const { reused, runs } = await preview(id, { version });
    expect(reused.map(({ step }) => step)).toEqual(['start']);
    expect(runs).toEqual([
      { step: 'ask', reason: 'its definition changed' },
      { step: 'end', reason: 'it follows from "ask"' },
    ]);
    const { execution_id: again } = await rerun(id, { version });
    expect(await resultOf(again)).toBe('11 5');
    expect((await read('executions.source', again)).text).toBe(text);
    for (const body of [{ version: 'none' }, { from: 'nowhere' }, { version, from: 'nowhere' }])
      await expect(rerun(id, body)).rejects.toMatchObject({ code: 'not-found' });
  });
});

const fetched = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${test.url}${path}`, { headers: { authorization: `Bearer ${test.tokens.viewer}`, ...headers } });

describe('the report of a run', () => {
  it('is one file that contains the log and the document, and has no origin', async () => {
    const text = playbook('- step: start\n  tool: {kind: noop, result: 1}');
    const id = await run(text, { file: 'one.yaml' });
    const answer = await fetched(`/v1/executions/${id}/report`);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.html"`);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'/,
    );
    const page = join(test.folder, 'report.html');
    writeFileSync(page, await answer.text());
    const { files } = openBundle(page);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['run.json', 'plan.json', 'document.txt', 'events/0001.jsonl']),
    );
    expect(Buffer.from(files.find(({ path }) => path === 'document.txt')?.content ?? []).toString()).toBe(
      text,
    );
    expect((await fetched('/v1/executions/none/report')).status).toBe(404);
  });

  it('of a run in progress shows its present state', async () => {
    const id = await start(playbook('- step: start\n  tool: {kind: wait, seconds: 3600}'));
    const answer = await fetched(`/v1/executions/${id}/report`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('data-step="start"');
    await test.as('operator').call('executions.cancel', { params: { id } });
  });
});

it('up to 10,000 events per page, compressed if the caller accepts it', async () => {
  const loop =
    'loop: {in: "{{ range(400) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 50}}';
  const id = await run(playbook(`- step: start\n  ${loop}\n  tool: {kind: noop, result: "{{ n }}"}`));
  const events = (limit: number, encoding: string) =>
    fetched(`/v1/executions/${id}/events?limit=${limit}`, { 'accept-encoding': encoding });
  const packed = await events(10_000, 'gzip');
  const plain = await events(10_000, 'identity');
  expect([packed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
  const all = (await packed.json()) as { events: unknown[]; next?: number };
  expect(all.events.length).toBeGreaterThan(1000);
  expect(all).toEqual(await plain.json());
  expect((await events(1, 'gzip')).headers.get('content-encoding')).toBeNull();
  expect((await events(10_000, 'gzip;q=0')).headers.get('content-encoding')).toBeNull();
  expect((await events(10_001, 'gzip')).status).toBe(400);
});
