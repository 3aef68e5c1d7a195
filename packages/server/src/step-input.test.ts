/**
 * The input of tasks, rendered again and compared with what the tool of a real worker got. All tests share one server.
 */
import { failure, type Json, type JsonObject, type Reference } from '@woof/net';
import type { ClaimAnswer } from '@woof/protocol';
import { BlobError, FileBlobs } from '@woof/stores';
import { createTools, type Tool } from '@woof/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ended,
  infoOf,
  playbook,
  type TestServer,
  temporaryFolder,
  testServer,
  testWorker,
} from './fixtures/test-server.ts';

const SECRET = 'cAnary-of-the-input';

const ends: (() => void | Promise<void>)[] = [];
let test: TestServer;
let blobs: FarBlobs;
/** What the tool got, in order. */
let got: JsonObject[] = [];

/** As in a database: a value must be fetched before it can be read. */
class FarBlobs extends FileBlobs {
  readonly brought = new Set<string>();

  override getText(reference: Reference): string {
    return super.getText(this.atHand(reference));
  }

  override getBytes(reference: Reference, from: number, size: number): Buffer {
    return super.getBytes(this.atHand(reference), from, size);
  }

  override async bring(reference: Reference): Promise<void> {
    await super.bring(reference);
    this.brought.add(reference.key);
  }

  async lose(reference: Reference): Promise<void> {
    await this.remove(reference);
    this.brought.delete(reference.key);
  }

  private atHand(reference: Reference): Reference {
    if (this.brought.has(reference.key)) return reference;
    throw new BlobError('not_at_hand', `${reference.key} is elsewhere`);
  }
}

/** Fails when its input says so. */
const recorder: Tool = {
  schema: createTools().get('http')!.schema,
  run: async ({ input }) => {
    got.push(input);
    if (input.method === 'FAIL') return failure('unknown', 'no');
    return { status: 'ok', result: { data: input.json ?? null } };
  },
};

beforeAll(async () => {
  const onEnd = (end: () => void | Promise<void>) => void ends.unshift(end);
  blobs = new FarBlobs(temporaryFolder(onEnd));
  test = await testServer({ blobs }, onEnd);
  testWorker(test, { tools: [recorder] }, onEnd);
  await test
    .as('admin')
    .call('secrets.put', { params: { name: 'api' }, body: { fields: { token: SECRET } } });
});

afterAll(async () => {
  for (const end of ends) await end();
});

async function start(text: string): Promise<string> {
  got = [];
  return (await test.as('operator').call('executions.start', { body: { text } })).execution_id;
}

async function run(text: string): Promise<string> {
  const id = await start(text);
  await ended(test.as('viewer'), id);
  return id;
}

const inputOf = (id: string, step: string, iteration?: string) =>
  test.as('viewer').call('executions.input', {
    params: { id },
    query: { step, ...(iteration === undefined ? {} : { iteration }) },
  });

const inputsOf = async (...asked: Parameters<typeof inputOf>): Promise<Json[]> =>
  (await inputOf(...asked)).tasks.map(({ input }) => input);

/** Reports the cell as a worker with kernels does. */
async function performCell(cell: string): Promise<void> {
  const claim = { ...infoOf('cells', { kinds: ['cell'] }), free: 1, wait_ms: 20_000 };
  const { jobs } = (await test.as('worker').call('work.claim', { body: claim })) as unknown as ClaimAnswer;
  const { execution_id, job_id, fence } = jobs[0]!;
  const task = { label: cell, task_run_id: `${job_id}/${cell}.1`, attempt: 1 };
  const done = { outcome: { status: 'ok', result: null }, directive: { do: 'continue' } } as const;
  const reports = [
    { type: 'started' as const, ...task },
    { type: 'done' as const, ...task, ...done },
  ];
  const body = { worker: 'cells', reports: [{ execution_id, job_id, fence, reports }] };
  await test.as('worker').call('work.report', { body });
}

const http = (json: string, more = '') => `{kind: http, url: "http://x.invalid"${more}, json: ${json}}`;

describe('the input of a step', () => {
  it('is what the worker got, with the args, ctx and results at that time', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: {kind: noop, result: {rows: [1, 2]}}
  set_ctx: {stage: first}
  next: {arcs: [{step: send, args: {who: "{{ workload.name }}"}}]}
- step: send
  tool:
    - first:
        kind: http
        url: "http://x.invalid/{{ who }}"
        json: {rows: "{{ start.rows }}", stage: "{{ ctx.stage }}", try: "{{ _attempt }}"}
        method: "{{ 'FAIL' if _attempt == 1 else 'GET' }}"
        spec:
          policy:
            rules:
              - {when: "{{ outcome.status == 'error' }}", then: {do: retry, attempts: 2, delay: 0}}
              - else: {then: {do: continue, set_ctx: {stage: second}, set_vars: {n: 7}}}
    - second: ${http('{before: "{{ _prev.data.stage }}", stage: "{{ ctx.stage }}", n: "{{ vars.n }}"}')}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}
  set_ctx: {stage: last}`,
        'workload: {name: ada}\n',
      ),
    );
    expect(got).toHaveLength(3);
    expect(got[2]!.json).toEqual({ before: 'first', stage: 'second', n: 7 });
    expect(await inputOf(id, 'send')).toEqual({
      step: 'send',
      args: { who: 'ada' },
      tasks: [
        { label: 'first', kind: 'http', input: got[1] },
        { label: 'second', kind: 'http', input: got[2] },
      ],
    });
  });

  it('of a step that ran several times is that of its last run', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: ${http('{n: "{{ ctx.n | default(0) }}"}')}
  set_ctx: {n: "{{ ctx.n | default(0) + 1 }}"}
  next: {arcs: [{step: start, when: "{{ ctx.n < 3 }}"}]}`,
      ),
    );
    expect(got.map(({ json }) => json)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    expect(await inputsOf(id, 'start')).toEqual([got[2]]);
  });

  it('of a loop is that of one iteration', async () => {
    const id = await run(
      playbook(
        `- step: start
  loop: {in: "{{ workload.hotels }}", iterator: hotel, loop: {in: "{{ hotel.rooms }}", iterator: room}}
  args: {label: "{{ hotel.name }} {{ room }}"}
  tool: ${http('{label: "{{ label }}", index: "{{ iter.index }}", of: "{{ iter.parent.index }}"}')}
  next: {arcs: [{step: end}]}
- step: end
  loop: {in: "{{ range(3) }}", iterator: n}
  tool: ${http('{n: "{{ n }}"}')}`,
        'workload: {hotels: [{name: Ritz, rooms: [101, 102]}, {name: Plaza, rooms: [7]}]}\n',
      ),
    );
    expect(got[1]!.json).toEqual({ label: 'Ritz 102', index: 1, of: 0 });
    for (const [index, iteration] of ['0/0', '0/1', '1/0'].entries())
      expect(await inputsOf(id, 'start', iteration)).toEqual([got[index]]);
    expect(await inputOf(id, 'start', '1/0')).toMatchObject({ args: { label: 'Plaza 7' } });
    expect(await inputsOf(id, 'end', '2')).toEqual([got[5]]);
    expect(await inputOf(id, 'end')).toMatchObject({
      tasks: [{ input: got[3] }],
      note: expect.stringContaining('iteration 0'),
    });
    expect(await inputOf(id, 'end', '3')).toMatchObject({ tasks: [], note: 'Iteration 3 has not begun.' });
    for (const [step, iteration] of [
      ['end', '0/0'],
      ['start', '0'],
      ['end', 'x'],
    ] as const)
      await expect(inputOf(id, step, iteration)).rejects.toMatchObject({ code: 'request/invalid' });
  });

  it('never contains a secret, although the worker got it', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: ${http('{token: "{{ keychain.api.token }}", whole: "x {{ keychain.api }}"}', ', headers: {authorization: "Bearer {{ keychain.api.token }}"}')}`,
        'keychain: [{name: api, kind: bearer}]\n',
      ),
    );
    expect(got[0]!.json).toEqual({ token: SECRET, whole: `x ${SECRET}` });
    const answer = await inputOf(id, 'start');
    expect(answer.tasks[0]!.input).toMatchObject({
      headers: { authorization: 'Bearer [secret]' },
      json: { token: '[secret]', whole: 'x [secret]' },
    });
    expect(answer.note).toContain('[secret]');
    expect(JSON.stringify(answer)).not.toContain(SECRET);
  });

  it('says what the log does not record, and guesses nothing', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: ${http('{at: "{{ now() }}", one: "{{ [1, 2] | random }}", same: [1, "{{ workload.n }}"]}')}`,
        'workload: {n: 2}\n',
      ),
    );
    expect(got[0]!.json).toMatchObject({ same: [1, 2] });
    const { tasks, note } = await inputOf(id, 'start');
    expect(tasks[0]!.input).toMatchObject({ json: { at: '[unknown]', one: '[unknown]', same: [1, 2] } });
    expect(note).toMatch(/"start\/tool\/\w+\/json\/at" is not known: it reads the clock/);
    expect(note).toContain('a random number');
  });

  it('of a template that fails says why', async () => {
    const id = await run(
      playbook(
        `- step: start\n  tool: ${http('{a: "{{ 1 / workload.zero }}", b: 1}')}`,
        'workload: {zero: 0}\n',
      ),
    );
    expect(got).toEqual([]);
    const { tasks, note } = await inputOf(id, 'start');
    expect(tasks[0]!.input).toMatchObject({ json: { a: '[unknown]', b: 1 } });
    expect(note).toContain('division by zero');
  });

  it('has values over 100 KB as references, and smaller ones in place', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: {kind: noop, result: {big: "{{ 'x' * 150000 }}"}}
  next: {arcs: [{step: some}]}
- step: some
  tool: {kind: noop, result: "{{ 'y' * 80000 }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: ${http(`{big: "{{ start }}", some: "{{ some }}", made: "{{ start.big | upper }}"}`)}`,
      ),
    );
    const { tasks, note } = await inputOf(id, 'end');
    const { json } = tasks[0]!.input as { json: JsonObject };
    expect(json.some).toBe('y'.repeat(80_000));
    expect(json.big).toMatchObject({ size: 150_010, checksum: expect.stringMatching(/^sha256:/) });
    expect(json.made).toMatchObject({ size: 150_002 });
    expect(note).toContain('not stored');
    const { key } = json.big as Reference;
    await blobs.lose(json.big as Reference);
    const later = await inputOf(id, 'end');
    expect(later.tasks[0]!.input).toMatchObject({ json: { big: { key }, made: '[unknown]' } });
    expect(later.note).toContain('/json/made" is not known');
  });

  it('of an iteration whose item is no longer stored says so', async () => {
    const id = await run(
      playbook(
        `- step: start
  tool: {kind: noop, result: "{{ ['x' * 70000, 'y' * 70000] }}"}
  next: {arcs: [{step: end}]}
- step: end
  loop: {in: "{{ start }}", iterator: text}
  tool: ${http('{text: "{{ text }}"}')}`,
      ),
    );
    expect(await inputsOf(id, 'end', '1')).toEqual([got[1]]);
    const { result } = await test
      .as('viewer')
      .call('executions.result', { params: { id }, query: { step: 'start', load: 'false' } });
    await blobs.lose(result as Reference);
    const { tasks, note } = await inputOf(id, 'end', '1');
    expect(tasks[0]!.input).toMatchObject({ json: { text: '[unknown]' } });
    expect(note).toContain('The item of the iteration is not known');
  });

  it('of a step without a run says so', async () => {
    const id = await start(
      playbook(
        `- step: start
  tool: {kind: wait, seconds: 3600}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}`,
      ),
    );
    expect(await inputOf(id, 'end')).toEqual({
      step: 'end',
      args: {},
      tasks: [],
      note: 'The step has not begun; its status is pending.',
    });
    await expect.poll(() => inputsOf(id, 'start')).toEqual([{ seconds: 3600 }]);
    await expect(inputOf(id, 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
    await expect(inputOf('none', 'end')).rejects.toMatchObject({ code: 'not-found' });
    await test.as('operator').call('executions.cancel', { params: { id } });
  });

  it('of a step whose result a rerun reused is in the execution that ran it', async () => {
    const id = await run(
      playbook(
        `- step: start\n  tool: ${http('1')}\n  next: {arcs: [{step: end}]}\n- step: end\n  tool: ${http('2', ', method: FAIL')}`,
      ),
    );
    const again = await test.as('operator').call('executions.rerun', { params: { id }, body: {} });
    const { execution_id: other } = again as { execution_id: string };
    await ended(test.as('viewer'), other);
    expect(await inputOf(other, 'start')).toMatchObject({ tasks: [], note: expect.stringContaining(id) });
    expect(await inputsOf(other, 'end')).toMatchObject([{ json: 2 }]);
  });

  it('of a stage has its commands, and of a cell its code and its dependencies', async () => {
    const stage = await run(
      'name: one\nstages:\n  - {stage_id: hi, commands: [{program: echo, args: ["{{ 1 }}"]}]}\n',
    );
    expect(await inputsOf(stage, 'hi')).toMatchObject([
      { commands: [{ program: 'echo', args: ['{{ 1 }}'] }] },
    ]);
    const cells =
      '```cell id=a type=code\necho "{{ 1 }}"\n```\n\n```cell id=b type=code deps=a\necho 2\n```\n';
    const notebook = await start(`%WOOFNB 1.0\nname: n\nlanguage: bash\n\n${cells}`);
    for (const cell of ['a', 'b']) await performCell(cell);
    expect(await inputsOf(notebook, 'a')).toEqual([{ language: 'bash', code: 'echo "{{ 1 }}"', deps: [] }]);
    expect(await inputsOf(notebook, 'b')).toEqual([{ language: 'bash', code: 'echo 2', deps: ['a'] }]);
  });
});
