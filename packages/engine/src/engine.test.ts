import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Arc,
  failure,
  type Json,
  type JsonObject,
  type Outcome,
  type Plan,
  type PolicyRule,
  type Reference,
  type State,
  type Step,
  type Task,
} from '@woof/net';
import { type Append, FileBlobs, MemoryStore, type Store, StoreError, Values } from '@woof/stores';
import { arc, loop, plan, step, task } from '@woof/testkit';
import { createTools, type Parked, type Tool, type ToolCall } from '@woof/tools';
import { Worker } from '@woof/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { abandon } from './abandon.ts';
import { Deferred } from './deferred.ts';
import { endOfAdopted } from './end-of-adopted.ts';
import { Engine } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';
import { leftBehind, rowToResume } from './lineage.ts';
import { hashState, loadState, readEvents } from './replay.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-engine-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

/** Vitest's default gives up after a second, which a busy machine may exceed. */
const waitFor = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 500_000, interval: 5 });

type Behaviour = (call: ToolCall, signal: AbortSignal) => Outcome | Parked | Promise<Outcome | Parked>;

interface Machine {
  engine: Engine;
  /** Idempotency keys, in the order in which the probe ran. */
  calls: string[];
  run(plan: Plan, workload?: Record<string, Json>): Promise<State>;
}

/** An engine and a worker over a store, as in one process; `probe` is a tool that a test controls. */
function boot(
  store: Store,
  probe: Behaviour = () => ({ status: 'ok', result: null }),
  more: Partial<EngineOptions> = {},
  slots = 8,
): Machine {
  const calls: string[] = [];
  const tool: Tool = {
    schema: { kind: 'probe', summary: '', fields: {} },
    run: async (call, context) => {
      calls.push(call.idempotencyKey.slice(call.idempotencyKey.indexOf('/') + 1));
      return probe(call, context.signal);
    },
  };
  const blobs = new FileBlobs(join(folder, 'blobs'));
  const tools = new Map([...createTools(), ['probe', tool]]);
  const logs = { write: () => {}, close: async () => {} };
  const onFree = () => engine.slotFreed();
  const worker: Worker = new Worker({
    id: 'w',
    slots,
    tools,
    blobs,
    logs,
    sandbox: true,
    hidden: [],
    onFree,
  });
  const engine: Engine = new Engine({ store, blobs, executor: worker, ...more });
  const run = async (document: Plan, workload: Record<string, Json> = {}) =>
    engine.finished(await engine.start({ plan: document, source: { folder }, workload }));
  return { engine, calls, run };
}

const probe = (label: string, more = {}) => task(label, { kind: 'probe', ...more });
const ok = (result: Json = null): Outcome => ({ status: 'ok', result });

describe('a run', () => {
  const chainOf = (length: number, tasks: ReturnType<typeof task>[]) =>
    plan(
      Array.from({ length }, (_, index) =>
        step(`s${index}`, { tasks, ...(index + 1 < length ? { to: [`s${index + 1}`] } : {}) }),
      ),
    );

  it('pays one commit per effect', async () => {
    const store = new MemoryStore();
    const append = vi.spyOn(store, 'append');
    const state = await boot(store).run(chainOf(50, [probe('p')]));
    expect(state.status).toBe('succeeded');
    expect(append.mock.calls.length).toBe(51);
  });

  it('pays almost nothing for tasks that only compute', async () => {
    const store = new MemoryStore();
    const append = vi.spyOn(store, 'append');
    const state = await boot(store).run(chainOf(200, [task('a'), task('b')]));
    expect(state.status).toBe('succeeded');
    expect(append.mock.calls.length).toBeLessThan(20);
  });

  it('starts no effect before everything that led to it is durable', async () => {
    const store = new MemoryStore();
    const early: string[] = [];
    const machine = boot(store, async (call) => {
      const recorded = (await readEvents(store, call.executionId)).filter(
        (event) => event.name === 'task.done',
      );
      if (recorded.length < Number(call.input.before)) early.push(call.idempotencyKey);
      return ok();
    });
    const mixed = (label: string, before: number) => probe(label, { input: { before } });
    const document = plan([
      step('one', { tasks: [task('a'), mixed('b', 1), task('c'), task('d'), mixed('e', 4)], to: ['two'] }),
      step('two', { tasks: [task('f')], to: ['three'] }),
      step('three', { tasks: [mixed('g', 6)] }),
    ]);
    expect((await machine.run(document)).status).toBe('succeeded');
    expect(machine.calls).toHaveLength(3);
    expect(early).toEqual([]);
  });

  it('does not let an effect wait for what did not lead to it', async () => {
    const store = new MemoryStore();
    const slow = new Deferred<Outcome>();
    const machine = boot(store, (call) => (call.input.slow === true ? slow.promise : ok()));
    const start = (input: object) =>
      machine.engine.start({
        plan: plan([step('start', { tasks: [probe('p', { input })] })]),
        source: {},
        workload: {},
      });
    const id = await start({ slow: true });
    await waitFor(() => expect(machine.calls).toHaveLength(1));
    const append = store.append.bind(store);
    const turns = [new Deferred<void>(), new Deferred<void>()];
    let commits = 0;
    vi.spyOn(store, 'append').mockImplementation(async (batch) => {
      await turns[commits++]?.promise;
      return append(batch);
    });
    const other = start({});
    await waitFor(() => expect(commits).toBe(1));
    slow.resolve(ok());
    await waitFor(() => expect(machine.engine.stateOf(id)!.status).toBe('succeeded'));
    turns[0]!.resolve();
    await waitFor(() => expect(machine.calls).toHaveLength(2));
    await waitFor(() => expect(commits).toBe(2));
    turns[1]!.resolve();
    await other;
  });

  it('a pipeline of computations that never ends can be cancelled', async () => {
    const forever = task('a', { rules: [{ then: { do: 'jump', to: 'a' } }] });
    const machine = boot(new MemoryStore());
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [forever] })]),
      source: {},
      workload: {},
    });
    const end = machine.engine.finished(id);
    await machine.engine.command(id, { type: 'CancelExecution', reason: 'enough' });
    expect((await end).status).toBe('cancelled');
  });

  it('shares commits among runs that run at the same time', async () => {
    const store = new MemoryStore();
    const append = vi.spyOn(store, 'append');
    const items = Array.from({ length: 400 }, (_, index) => index);
    await boot(store).run(
      plan([
        step('start', { loop: loop(items, { mode: 'parallel', maxInFlight: 100 }), tasks: [probe('p')] }),
      ]),
    );
    expect(append.mock.calls.length).toBeLessThan(60);
  });

  it.each(['here', 'that just ended'])('leaves room in each commit for a run %s', async (other) => {
    const store = new MemoryStore();
    const hold = new Deferred<Outcome>();
    const probed: Behaviour = (call) => (call.input.hold === true ? hold.promise : ok());
    const machine = boot(store, probed, { now: () => 0 });
    const start = (document: Plan) => machine.engine.start({ plan: document, source: {}, workload: {} });
    const held = await start(plan([step('start', { tasks: [probe('p', { input: { hold: true } })] })]));
    const ended = () => machine.engine.finished(held);
    if (other === 'that just ended') {
      hold.resolve(ok());
      await ended();
    }
    const append = store.append.bind(store);
    const commits: number[] = [];
    vi.spyOn(store, 'append').mockImplementation(async (batch) => {
      commits.push(batch.reduce((sum, { events }) => sum + events.length, 0));
      // A disk is slower than the event loop.
      for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
      return append(batch);
    });
    const all = loop('{{ range(3000) }}', { mode: 'parallel', maxInFlight: 3000 });
    const wide = await start(plan([step('each', { loop: all, tasks: [probe('p')] })]));
    expect((await machine.engine.finished(wide)).status).toBe('succeeded');
    expect(Math.max(...commits)).toBeLessThan(1000);
    if (other === 'here') {
      hold.resolve(ok());
      expect((await ended()).status).toBe('succeeded');
    }
  });

  it('leaves a log that replays to the same state', async () => {
    const store = new MemoryStore();
    const items = [1, 2, 3];
    const state = await boot(store, (call) => ok(call.input.n as Json)).run(
      plan([
        step('start', {
          loop: loop(items),
          tasks: [probe('p', { input: { n: '{{ iter.item }}' } })],
          to: ['b'],
        }),
        step('b'),
      ]),
    );
    const replayed = await loadState(store, state.execution_id, { snapshot: false });
    expect(hashState(replayed!)).toBe(hashState(state));
    expect(state.steps.get('start')!.result).toMatchObject({ results: [1, 2, 3] });
  });

  it('keeps the row of the execution in step', async () => {
    const store = new MemoryStore();
    const state = await boot(store, () => failure('unknown', 'boom')).run(
      plan([step('start', { tasks: [probe('p')] })]),
    );
    expect(await store.execution(state.execution_id)).toMatchObject({ status: 'failed', error: 'boom' });
  });

  it('gives every external effect its own key, the same for the same attempt', async () => {
    const machine = boot(new MemoryStore(), (call) => (call.attempt < 2 ? failure('timeout', 'slow') : ok()));
    const rules = [{ when: "{{ outcome.status == 'error' }}", then: { do: 'retry' as const, attempts: 3 } }];
    await machine.run(plan([step('start', { loop: loop(['x', 'y']), tasks: [probe('p', { rules })] })]));
    expect(machine.calls).toEqual([
      'start.1/0/p.1/1',
      'start.1/0/p.2/2',
      'start.1/1/p.1/1',
      'start.1/1/p.2/2',
    ]);
  });

  it('gives all attempts of one visit of a task one key, and the next visit another', async () => {
    const visits: string[] = [];
    const machine = boot(new MemoryStore(), (call) => {
      visits.push(call.visitKey.slice(call.visitKey.indexOf('/') + 1));
      return call.attempt < 2 ? failure('timeout', 'slow') : ok();
    });
    const rules = [
      { when: "{{ outcome.status == 'error' }}", then: { do: 'retry' as const, attempts: 3 } },
      { when: '{{ not vars.again }}', then: { do: 'jump' as const, to: 'p', set_vars: { again: true } } },
    ];
    const tasks = [task('a'), probe('p', { rules })];
    await machine.run(plan([step('start', { loop: loop(['x', 'y']), tasks })]));
    expect(visits).toEqual(
      ['start.1/0', 'start.1/1'].flatMap((job) => [`${job}/p.2`, `${job}/p.2`, `${job}/p.4`, `${job}/p.4`]),
    );
  });
});

describe('large values', () => {
  it('go to the blob store; events stay small; the value is available in the job and by name elsewhere', async () => {
    const store = new MemoryStore();
    const big = 'x'.repeat(200_000);
    const seen: Json[] = [];
    const machine = boot(store, (call) => {
      seen.push((call.input.length ?? null) as Json);
      return ok({ text: big });
    });
    const inside = probe('b', { input: { length: '{{ _prev.text | length }}' } });
    const elsewhere = probe('c', { input: { length: '{{ start.text | length }}' } });
    const state = await machine.run(
      plan([
        step('start', { tasks: [probe('a'), inside], to: ['next'] }),
        step('next', { tasks: [elsewhere] }),
      ]),
    );
    expect(state.status).toBe('succeeded');
    expect(seen).toEqual([null, 200_000, 200_000]);
    expect(state.steps.get('start')!.result).toMatchObject({
      store: 'file',
      size: expect.any(Number),
      checksum: expect.any(String),
    });
    const events = await readEvents(store, state.execution_id);
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(2000);
  });

  const use = (more: Partial<Step>) => step('use', more);
  const input = (of: JsonObject, more: Partial<Task> = {}) =>
    use({ tasks: [probe('p', { input: of, ...more })] });
  const rules = (...of: PolicyRule[]) => use({ tasks: [probe('p', { rules: of })] });
  const shared = { big: { merge: { a: 1 } } };
  const places: Record<string, { first?: Partial<Step>; arc?: Partial<Arc>; use?: Step }> = {
    'a guard': { arc: { when: '{{ start.rows[0] }}' } },
    'the args of an arc': { arc: { args: { rows: '{{ start.rows }}' } } },
    'set_ctx of a step': { first: { setCtx: { rows: '{{ start.rows }}' } } },
    'an admission rule': { use: use({ admit: [{ when: '{{ start.rows }}', allow: true }] }) },
    'the args of a step': { use: use({ args: { rows: '{{ start.rows }}' } }) },
    'the list of a loop': { use: use({ loop: loop('{{ start.rows }}') }) },
    'a stored value as the list of a loop': { use: use({ loop: loop('{{ start }}') }) },
    max_in_flight: { use: use({ loop: loop([1], { mode: 'parallel', maxInFlight: '{{ start }}' }) }) },
    'a field of a task': { use: input({ rows: '{{ start.rows }}' }) },
    'a whole field of a task': { use: input({ start: '{{ start }}' }) },
    'a knob of a task': { use: input({}, { spec: { timeout: '{{ start.rows }}' } }) },
    'the code of a task': {
      use: input({ code: 'result = 1', args: { start: '{{ start }}' } }, { kind: 'python' }),
    },
    'the payload of a nested playbook': {
      use: input({ path: 'child', args: '{{ start }}' }, { kind: 'playbook' }),
    },
    'a rule of a policy': { use: rules({ when: '{{ start.rows }}', then: { do: 'continue' } }) },
    'the delay of a rule': { use: rules({ then: { do: 'retry', delay: '{{ start }}' } }) },
    'set_ctx of a rule': { use: rules({ then: { do: 'continue', set_ctx: { a: '{{ start.rows }}' } } }) },
    set_shared: {
      first: { setCtx: { big: '{{ start }}' } },
      use: rules({ then: { do: 'continue', set_shared: shared } }),
    },
    'several values together': {
      first: { setCtx: { half: '{{ "h" * 80000 }}', other: '{{ "o" * 80000 }}' } },
      use: input({ both: ['{{ ctx.half }}', '{{ ctx.other }}'] }),
    },
    'several values together in a template': {
      first: { setCtx: { half: '{{ "h" * 80000 }}', other: '{{ "o" * 80000 }}' } },
      use: input({ both: '{{ ctx | tojson }}' }),
    },
  };
  it.each(Object.keys(places))('one that is too large to read is the same error in %s', async (place) => {
    const { first = {}, arc: over = {}, use: second = step('use') } = places[place]!;
    const run = (valueBytes: number) =>
      boot(new MemoryStore(), () => ok({ n: 1, rows: 'x'.repeat(100_000) }), {
        limits: { value_bytes: valueBytes },
      }).run(plan([step('start', { tasks: [probe('a')], to: [arc('use', over)], ...first }), second]));
    const { error } = await run(90_000);
    expect(error).toMatchObject({ kind: 'storage', code: 'too_large', retryable: false });
    expect(error!.message).toMatch(
      /(start|both|args|ctx(\.big)?)\b.* cannot be loaded: it has (100017|100027|160007|160022) bytes, and the limit is 90000\. .*value_bytes=N/,
    );
    expect((await run(1_000_000)).error?.code).not.toBe('too_large');
  });

  describe('data with the shape of a reference', () => {
    const secret = { owner: 'another run', pad: 's'.repeat(70_000) };
    const large = 'l'.repeat(70_000);
    const text = (forged: Json) => JSON.stringify(forged);
    type Door = (forged: JsonObject) => { given?: Json; workload?: JsonObject; read: Json };
    const doors: Record<string, Door> = {
      'the result of a task': (forged) => ({ given: forged, read: '{{ start }}' }),
      'a part of a result': (forged) => ({ given: { rows: [forged] }, read: '{{ start.rows[0] }}' }),
      'a part of a stored result': (forged) => ({ given: { large, forged }, read: '{{ start.forged }}' }),
      'an item of a stored list': (forged) => ({ given: [large, forged], read: '{{ start[1] }}' }),
      'the workload': (forged) => ({ workload: { forged }, read: '{{ workload.forged }}' }),
      'a constant of the document': (forged) => ({ read: forged }),
      'a field that a template completes': (forged) => ({
        read: { ...forged, key: `{{ "${forged.key}" }}` },
      }),
      'a text that is read as JSON': (forged) => ({ given: text(forged), read: '{{ start | from_json }}' }),
      'a text that is a literal': (forged) => ({
        given: text(forged),
        read: '{% if 1 %}{{ start }}{% endif %}',
      }),
      'a map that a template makes': (forged) => ({
        given: Object.entries(forged) as Json,
        read: '{{ dict(start) }}',
      }),
      'the shape of a list that was appended to': (forged) => ({
        given: { ...forged, more: { pages: [forged], items: [], bytes: 0 } },
        read: '{{ start }}',
      }),
    };
    it.each(Object.keys(doors))('is data in %s', async (door) => {
      const store = new MemoryStore();
      const victim = await boot(store, () => ok(secret)).run(plan([step('start', { tasks: [probe('a')] })]));
      const forged = JSON.parse(JSON.stringify(victim.result)) as Reference & JsonObject;
      // Without the defence it would be read: the shape is right, and the value exists.
      expect(new Values(new FileBlobs(join(folder, 'blobs'))).resolve(forged)).toEqual(secret);
      const { given = null, workload, read } = doors[door]!(forged);
      const seen: Json[] = [];
      const attacked = boot(store, ({ input }) => {
        if ('read' in input) seen.push(input.read!);
        return ok(given);
      });
      const use = step('use', { tasks: [probe('r', { input: { read } })] });
      const start = step('start', { tasks: [probe('a')], to: ['use'] });
      const { status, error } = await attacked.run(plan([start, use]), workload ?? {});
      expect(status, error?.message).toBe('succeeded');
      expect(seen).toEqual([expect.objectContaining({ kind: 'data', key: forged.key, size: forged.size })]);
      expect(JSON.stringify(seen)).not.toContain('ssss');
    });

    it('is data as an item of a loop over a stored list', async () => {
      const store = new MemoryStore();
      const victim = await boot(store, () => ok(secret)).run(plan([step('start', { tasks: [probe('a')] })]));
      const forged = JSON.parse(JSON.stringify(victim.result)) as JsonObject;
      const seen: Json[] = [];
      const attacked = boot(store, ({ input }) => {
        if ('read' in input) seen.push(input.read!);
        return ok([large, forged]);
      });
      const over = step('use', {
        loop: loop('{{ start }}'),
        tasks: [probe('r', { input: { read: '{{ iter.item }}' } })],
      });
      await attacked.run(plan([step('start', { tasks: [probe('a')], to: ['use'] }), over]));
      expect(seen).toEqual([large, expect.objectContaining({ kind: 'data', key: forged.key })]);
    });
  });

  it('is stored if a decision asks for its reference', async () => {
    const over = arc('use', { when: '{{ (start | ref).size == 5 }}', args: { ref: '{{ start | ref }}' } });
    const machine = boot(new MemoryStore(), () => ok([1, 2]));
    const got = task('got', { kind: 'artifact', input: { uri: '{{ args.ref }}' } });
    const state = await machine.run(
      plan([step('start', { tasks: [probe('a')], to: [over] }), step('use', { tasks: [got] })]),
    );
    expect(state.result).toMatchObject({ data: [1, 2] });
  });

  it('a collection over the limit survives a restart', async () => {
    const store = new MemoryStore();
    const items = Array.from({ length: 300 }, (_, index) => ({ index, pad: 'x'.repeat(400) }));
    const first = boot(failingAfter(store, 20), () => ok());
    const document = plan([
      step('start', {
        loop: loop('{{ workload.items }}'),
        tasks: [probe('p', { input: { i: '{{ iter.item.index }}' } })],
      }),
    ]);
    await expect(first.run(document, { items })).rejects.toThrow(/disk/);
    const seen: Json[] = [];
    const second = boot(store, (call) => {
      seen.push(call.input.i as Json);
      return ok();
    });
    const [row] = await store.executions();
    await second.engine.adopt(row!.execution_id);
    const state = await second.engine.finished(row!.execution_id);
    expect(state.steps.get('start')!.stats).toEqual({ total: 300, succeeded: 300, failed: 0 });
    expect(seen.at(-1)).toBe(299);
  });
});

it('a run that was taken over ends when the log says so, not before', async () => {
  const store = new MemoryStore();
  const document = plan([step('start', { tasks: [probe('p')], to: ['next'] }), step('next')]);
  await expect(boot(failingAfter(store, 1)).run(document)).rejects.toThrow(/disk/);
  const [row] = await store.executions();
  const id = row!.execution_id;
  const disk = new Deferred<void>();
  const append = store.append.bind(store);
  const { engine } = boot(store);
  const state = (await engine.adopt(id))!;
  let isWritten = false;
  store.append = async (batch) => {
    await disk.promise;
    isWritten = true;
    return append(batch);
  };
  await waitFor(() => expect(state.status).toBe('succeeded'));
  expect((await loadState(store, id))!.status).toBe('running');
  const wasWritten = endOfAdopted(engine, state).then(() => isWritten);
  disk.resolve();
  expect(await wasWritten).toBe(true);
  expect((await loadState(store, id))!.status).toBe('succeeded');
});

/** A store whose disk is full after the given number of appends. */
function failingAfter(store: Store, appends: number): Store {
  let left = appends;
  return new Proxy(store, {
    get(target, key) {
      if (key === 'append') {
        return async (batch: readonly Append[]) => {
          if (left-- <= 0) throw new StoreError('disk_full', 'the disk is full');
          return target.append(batch);
        };
      }
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

describe('the text of a document', () => {
  it('is written when the engine has closed', async () => {
    const mayWrite = new Deferred<void>();
    const blobs = new FileBlobs(join(folder, 'blobs'));
    const order: string[] = [];
    blobs.putBytes = async () => {
      await mayWrite.promise;
      order.push('written');
    };
    const { engine } = boot(new MemoryStore(), undefined, { blobs });
    const request = { plan: plan([step('start')]), source: { folder }, text: 'name: small', workload: {} };
    const started = engine.start({ ...request, executionId: 'e' });
    await engine.finished('e');
    const closed = engine.close().then(() => order.push('closed'));
    setImmediate(() => mayWrite.resolve());
    await Promise.all([closed, started]);
    expect(order).toEqual(['written', 'closed']);
  });
});

describe('what a task sees of other steps', () => {
  it('does not include the result of a step whose last run failed', async () => {
    const seen: Json[] = [];
    const outcomes = [10, undefined];
    const machine = boot(new MemoryStore(), ({ input }) => {
      if ('sees' in input) seen.push(input.sees!);
      else if (outcomes.length > 0) {
        const result = outcomes.shift();
        return result === undefined ? failure('unknown', 'no') : { status: 'ok', result };
      }
      return { status: 'ok', result: null };
    });
    const sees = "{{ a | default('nothing') }}";
    await machine.run(
      plan([
        step('start', { to: ['a'] }),
        step('a', {
          tasks: [probe('one')],
          to: [
            arc('a', { when: "{{ event.name == 'step.done' and a == 10 }}" }),
            arc('b', { when: "{{ event.name == 'step.failed' }}" }),
          ],
        }),
        step('b', { tasks: [probe('two', { input: { sees } })] }),
      ]),
    );
    expect(seen).toEqual(['nothing']);
  });
});

describe('a crash', () => {
  const document = plan([
    step('start', { tasks: [probe('a'), probe('b')], to: ['wide'] }),
    step('wide', {
      loop: loop([1, 2, 3, 4], { mode: 'parallel', maxInFlight: 2 }),
      tasks: [probe('c'), probe('d')],
      to: ['end'],
    }),
    step('end', { tasks: [probe('e')] }),
  ]);

  it('at any append loses nothing acknowledged and repeats no finished task', async () => {
    let survived = 0;
    for (let point = 0; point < 40; point++) {
      const store = new MemoryStore();
      const first = boot(failingAfter(store, point), (call) => ok(call.idempotencyKey));
      const ended = await first.run(document).then(
        (state) => state.execution_id,
        () => undefined,
      );
      if (ended) survived++;
      const [row] = await store.executions();
      if (row === undefined) continue;
      const recorded = (await readEvents(store, row.execution_id))
        .filter((event) => event.name === 'task.done')
        .map((event) => `${event.task_run_id}/${event.attempt}`);
      const second = boot(store, (call) => ok(call.idempotencyKey));
      const adopted = await second.engine.adopt(row.execution_id);
      const state =
        adopted!.status === 'succeeded' ? adopted! : await second.engine.finished(row.execution_id);
      expect(state.status).toBe('succeeded');
      expect(second.calls.filter((call) => recorded.includes(call))).toEqual([]);
      const tasks = (await readEvents(store, row.execution_id)).filter((event) => event.name === 'task.done');
      expect(tasks).toHaveLength(11);
      expect(hashState((await loadState(store, row.execution_id, { snapshot: false }))!)).toBe(
        hashState(state),
      );
    }
    expect(survived).toBeGreaterThan(0);
  });

  it('a job of the dead process comes back under a higher fence', async () => {
    const store = new MemoryStore();
    const first = boot(failingAfter(store, 2), () => ok());
    await expect(first.run(document)).rejects.toBeInstanceOf(StoreError);
    const [row] = await store.executions();
    const second = boot(store);
    await second.engine.adopt(row!.execution_id);
    await second.engine.finished(row!.execution_id);
    const events = await readEvents(store, row!.execution_id);
    expect(events.filter((event) => event.name === 'job.expired').length).toBeGreaterThan(0);
    const fences = events
      .filter((event) => event.name === 'job.leased' && event.step === 'start')
      .map((event) => event.fence);
    expect(fences).toEqual([1, 2]);
  });

  it('after the store failed the engine decides nothing more and says why', async () => {
    const machine = boot(failingAfter(new MemoryStore(), 1), () => ok());
    await expect(machine.run(document)).rejects.toThrow(/disk is full/);
    await expect(machine.engine.start({ plan: document, source: {}, workload: {} })).rejects.toThrow(
      /disk is full/,
    );
  });
});

describe('snapshots', () => {
  it('a snapshot and the tail give the same state as the whole log', async () => {
    const store = new MemoryStore();
    const items = Array.from({ length: 15_000 }, (_, index) => index);
    const document = plan([
      step('start', { loop: loop(items, { mode: 'parallel', maxInFlight: 50 }), to: ['b'] }),
      step('b'),
    ]);
    const state = await boot(store).run(document);
    const snapshot = await store.snapshot(state.execution_id);
    expect(snapshot!.seq).toBeGreaterThan(10_000);
    const [whole, tail] = [
      await loadState(store, state.execution_id, { snapshot: false }),
      await loadState(store, state.execution_id),
    ];
    expect(hashState(tail!)).toBe(hashState(whole!));
    expect(hashState(tail!)).toBe(hashState(state));
  });
});

describe('people', () => {
  const forever: Behaviour = (_call, signal) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(failure('cancelled', 'aborted'))),
    );

  it('cancel aborts what is running', async () => {
    const machine = boot(new MemoryStore(), forever);
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [probe('p')] })]),
      source: {},
      workload: {},
    });
    await waitFor(() => expect(machine.calls).toHaveLength(1));
    const end = machine.engine.finished(id);
    await machine.engine.command(id, { type: 'CancelExecution', reason: 'enough' });
    expect((await end).status).toBe('cancelled');
  });

  it('pause holds between tasks, resume continues', async () => {
    const machine = boot(new MemoryStore(), async (call) => {
      if (call.idempotencyKey.includes('/a.'))
        await machine.engine.command(call.executionId, { type: 'PauseExecution' });
      return ok();
    });
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [probe('a'), probe('b')] })]),
      source: {},
      workload: {},
    });
    const end = machine.engine.finished(id);
    await waitFor(() => expect(machine.engine.stateOf(id)!.jobs.get('start.1')!.status).toBe('ready'));
    expect(machine.calls).toHaveLength(1);
    await machine.engine.command(id, { type: 'ResumeExecution' });
    expect((await end).status).toBe('succeeded');
    expect(machine.calls).toEqual(['start.1/a.1/1', 'start.1/b.2/1']);
  });
});

describe('pause', () => {
  it('starts nothing further, not even a retry whose delay is over', async () => {
    const machine = boot(new MemoryStore(), async (call) => {
      if (call.attempt === 1) await machine.engine.command(call.executionId, { type: 'PauseExecution' });
      return call.attempt === 1 ? failure('timeout', 'slow') : ok();
    });
    const rules = [
      { when: "{{ outcome.status == 'error' }}", then: { do: 'retry' as const, attempts: 3, delay: 0.01 } },
    ];
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [probe('p', { rules })] })]),
      source: {},
      workload: {},
    });
    const end = machine.engine.finished(id);
    await waitFor(() => expect(machine.engine.stateOf(id)!.jobs.get('start.1')!.status).toBe('ready'));
    expect(machine.calls).toHaveLength(1);
    await machine.engine.command(id, { type: 'ResumeExecution' });
    expect((await end).status).toBe('succeeded');
    expect(machine.calls).toHaveLength(2);
  });
});

describe('a stored value that is gone', () => {
  it('fails the step that needs it, and nothing that was done before', async () => {
    const store = new MemoryStore();
    const document = plan([
      step('start', { tasks: [probe('p')], to: ['lose'] }),
      step('lose', { tasks: [probe('p', { input: { lose: true } })], to: ['b'] }),
      step('b', { loop: loop('{{ start }}'), tasks: [probe('q')] }),
    ]);
    const losing = boot(store, ({ input }) => {
      if (input.lose) rmSync(join(folder, 'blobs'), { recursive: true });
      return ok(input.lose ? null : ['x'.repeat(70_000)]);
    });
    const state = await losing.run(document);
    expect(state.error).toMatchObject({ kind: 'missing_reference', step: 'b' });
    const done = (await readEvents(store, state.execution_id)).filter((event) => event.name === 'task.done');
    expect(done).toHaveLength(2);
  });
});

it('a result that cannot be encoded fails its task, whose start is in the log', async () => {
  const store = new MemoryStore();
  const details: JsonObject = {};
  details.self = details;
  const error = { kind: 'unknown', retryable: false, message: 'odd', details } as const;
  const state = await boot(store, () => ({ status: 'error', error })).run(
    plan([step('start', { tasks: [probe('p')] })]),
  );
  expect(state.error).toMatchObject({
    message: expect.stringMatching(/the probe tool failed unexpectedly: .*nested too deeply/),
  });
  const names = (await readEvents(store, state.execution_id)).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('task.'))).toEqual(['task.started', 'task.done']);
});

describe('skip', () => {
  const skip = { then: { do: 'skip' as const } };
  const run = async (rules: PolicyRule[]) => {
    const machine = boot(new MemoryStore());
    await machine.run(plan([step('start', { tasks: [probe('p', { rules })] })]), { yes: true });
    return machine.calls.length;
  };

  it('of an `else` is known before the tool runs if no rule before it reads the outcome', async () => {
    expect(await run([skip])).toBe(0);
    expect(await run([{ when: '{{ workload.no }}', then: { do: 'continue' } }, skip])).toBe(0);
    expect(await run([{ when: '{{ workload.yes }}', then: { do: 'continue' } }, skip])).toBe(1);
    expect(await run([{ when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } }, skip])).toBe(1);
  });
});

describe('timers', () => {
  it('a retry delay over 30 s parks the job: its slot is free, and the log says when it continues', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const store = new MemoryStore();
    const machine = boot(store, (call) => (call.attempt < 3 ? failure('timeout', 'slow') : ok('third')));
    const rules = [
      {
        when: "{{ outcome.status == 'error' }}",
        then: { do: 'retry' as const, attempts: 5, backoff: 'exponential' as const, delay: 40 },
      },
      { then: { do: 'continue' as const } },
    ];
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [probe('p', { rules })] })]),
      source: {},
      workload: {},
    });
    const end = machine.engine.finished(id);
    for (const seconds of [40, 80]) {
      await waitFor(async () => {
        const job = machine.engine.stateOf(id)!.jobs.get('start.1')!;
        expect(job.status).toBe('parked');
        const events = await readEvents(store, id);
        expect(events.at(-1)!.name).toBe('job.parked');
        expect(job.until! - events.at(-1)!.at).toBe(seconds * 1000);
      });
      await vi.advanceTimersByTimeAsync(seconds * 1000);
    }
    expect((await end).result).toBe('third');
  });

  it('a wait is durable: another process continues it', async () => {
    const store = new MemoryStore();
    const document = plan([
      step('start', { tasks: [task('w', { kind: 'wait', input: { seconds: 3600 } })] }),
    ]);
    const first = boot(store);
    const id = await first.engine.start({ plan: document, source: {}, workload: {} });
    await waitFor(() => expect(first.engine.stateOf(id)!.jobs.get('start.1')!.status).toBe('parked'));
    await first.engine.close();
    const later = () => Date.now() + 3_600_000;
    const second = boot(store, undefined, { now: later });
    await second.engine.adopt(id);
    const state = await second.engine.finished(id);
    expect(state.status).toBe('succeeded');
  });
});

describe('nested playbooks', () => {
  const child = plan(
    [step('inner', { tasks: [probe('p', { input: { n: '{{ n }}', from: '{{ iter.item }}' } })] })],
    { workload: { n: 0 } },
  );
  const resolve: EngineOptions['resolve'] = async (path) =>
    path === 'child.yaml'
      ? { plan: child, source: { folder } }
      : { message: `${path}: there is no such file` };
  const call = (more = {}) =>
    task('call', {
      kind: 'playbook',
      input: { path: 'child.yaml', args: { n: '{{ iter.index }}' }, ...more },
    });

  it('wait for their children without holding a slot, pass the iteration on, and return the result', async () => {
    const machine = boot(
      new MemoryStore(),
      (probed) => ok([probed.input.n as Json, probed.input.from as Json]),
      { resolve },
    );
    const items = Array.from({ length: 20 }, (_, index) => `item ${index}`);
    const spec = loop(items, { mode: 'parallel', maxInFlight: 20 });
    const state = await machine.run(
      plan([step('start', { loop: spec, tasks: [call({ return_step: 'inner' })] })]),
    );
    expect(state.steps.get('start')!.result).toMatchObject({
      results: items.map((item, index) => [index, item]),
    });
  });

  it('that wait to begin leave slots to other runs', async () => {
    const store = new MemoryStore();
    const hold = new Deferred<Outcome>();
    const probed: Behaviour = (of) => (of.input.hold === true ? hold.promise : ok());
    const { engine } = boot(store, probed, { resolve }, 64);
    const start = (document: Plan) => engine.start({ plan: document, source: { folder }, workload: {} });
    const other = await start(plan([step('start', { tasks: [probe('p', { input: { hold: true } })] })]));
    const spec = loop('{{ range(200) }}', { mode: 'parallel', maxInFlight: 200 });
    const caller = await start(plan([step('start', { loop: spec, tasks: [call()] })]));
    const append = store.append.bind(store);
    let most = 0;
    vi.spyOn(store, 'append').mockImplementation(async (batch) => {
      const jobs = [...(engine.stateOf(caller)?.jobs.values() ?? [])];
      most = Math.max(most, jobs.filter(({ status }) => status === 'leased').length);
      for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
      return append(batch);
    });
    expect((await engine.finished(caller)).status).toBe('succeeded');
    expect(most).toBeLessThan(40);
    hold.resolve(ok());
    expect((await engine.finished(other)).status).toBe('succeeded');
  });

  it('an id says nothing about how deep a run is nested', async () => {
    const { engine } = boot(new MemoryStore(), undefined, { resolve });
    const document = plan([step('start', { tasks: [call({ args: {} })], loop: loop([1]) })]);
    const executionId = Array(40).fill('a').join('-');
    await engine.start({ plan: document, source: {}, workload: {}, executionId });
    expect((await engine.finished(executionId)).error).toBeUndefined();
  });

  it('a child that fails is an error outcome', async () => {
    const machine = boot(new MemoryStore(), () => failure('unknown', 'inner boom'), { resolve });
    const state = await machine.run(plan([step('start', { tasks: [call({ args: {} })], loop: loop([1]) })]));
    expect(state.error!.message).toMatch(/child\.yaml failed: inner boom/);
  });

  it('a missing child is an error outcome', async () => {
    const machine = boot(new MemoryStore(), undefined, { resolve });
    const state = await machine.run(plan([step('start', { tasks: [call({ path: 'no.yaml', args: {} })] })]));
    expect(state.error!.message).toMatch(/no such file/);
  });

  it('a playbook that calls itself ends with a clear error', async () => {
    const selfish: Plan = plan([
      step('start', { tasks: [task('call', { kind: 'playbook', input: { path: 'self.yaml' } })] }),
    ]);
    const machine = boot(new MemoryStore(), undefined, {
      resolve: async () => ({ plan: selfish, source: {} }),
    });
    expect((await machine.run(selfish)).error!.message).toMatch(/nested more than 32 levels deep/);
  });

  it('a call that is made again while the first one waits begins one child', async () => {
    const asked = new Deferred<void>();
    const document = new Deferred<{ plan: Plan; source: Record<string, string> }>();
    const resolving = vi.fn(() => {
      asked.resolve();
      return document.promise;
    });
    const store = new MemoryStore();
    const hold = () => new Promise<Outcome>(() => {});
    const { engine, calls } = boot(store, hold, { resolve: resolving });
    const id = await engine.start({
      plan: plan([step('start', { tasks: [probe('p')] })]),
      source: {},
      workload: {},
    });
    await waitFor(() => expect(calls).toHaveLength(1));
    const request = { path: 'child.yaml', args: {}, iter: {}, key: 'one' };
    const ask = () => engine.child({ execution_id: id, job_id: 'start.1', granted: {} }, request);
    const first = ask();
    await asked.promise;
    const second = ask();
    document.resolve({ plan: child, source: { folder } });
    expect(await second).toEqual(await first);
    expect(resolving).toHaveBeenCalledTimes(1);
    expect(await store.executions()).toHaveLength(2);
  });

  it('cancelling the caller cancels the child', async () => {
    const store = new MemoryStore();
    const hang: Behaviour = (_call, signal) =>
      new Promise((done) => signal.addEventListener('abort', () => done(ok())));
    const machine = boot(store, hang, { resolve });
    const id = await machine.engine.start({
      plan: plan([step('start', { tasks: [call({ args: {} })], loop: loop([1]) })]),
      source: {},
      workload: {},
    });
    await waitFor(() => expect(machine.calls).toHaveLength(1));
    const end = machine.engine.finished(id);
    await machine.engine.command(id, { type: 'CancelExecution', reason: 'enough' });
    await end;
    await waitFor(async () =>
      expect((await store.executions()).map((row) => row.status)).toEqual(['cancelled', 'cancelled']),
    );
  });

  const called = () => plan([step('start', { tasks: [call({ args: {} })], loop: loop([1]) })]);
  const statuses = async (store: MemoryStore) => (await store.executions()).map(({ status }) => status);
  const cancel = { type: 'CancelExecution', reason: 'enough' } as const;

  it.each([
    ['alone', {}],
    ['at a server', { driver: 'server-1' }],
  ])('one that is being started when its caller is cancelled ends with it, %s', async (_, more) => {
    const store = new MemoryStore();
    const { engine } = boot(store, () => new Promise(() => {}), { resolve, ...more });
    const append = store.append.bind(store);
    const cancelled = new Deferred<unknown>();
    store.append = async (batch) => {
      const caller = batch.find(({ row }) => row?.parent !== undefined)?.row?.parent;
      if (caller !== undefined) cancelled.resolve(engine.command(caller, cancel));
      return append(batch);
    };
    await engine.start({ plan: called(), source: { folder }, workload: {} });
    await cancelled.promise;
    await engine.close();
    expect(await statuses(store)).toEqual(['cancelled', 'cancelled']);
  });

  it('one of a process that died before its caller could wait for it ends with the caller', async () => {
    const store = new MemoryStore();
    const first = boot(failingAfter(store, 2), undefined, { resolve, owner: 'local-1-00000001' });
    await first.run(called()).catch(() => {});
    expect(await statuses(store)).toEqual(['running', 'running']);
    const [{ execution_id: id } = { execution_id: '' }] = await store.executions({ roots: true });
    const { engine } = boot(store, undefined, { driver: 'server-1', isDriving: () => false });
    await engine.command(id, cancel);
    await engine.close();
    expect(await statuses(store)).toEqual(['cancelled', 'cancelled']);
  });

  it('one that was left when its caller ended is taken, and ends with it', async () => {
    const store = new MemoryStore();
    const machine = boot(store, () => new Promise(() => {}), { resolve });
    const document = plan([step('start', { tasks: [call({ args: {} })], loop: loop([1]) })]);
    const id = await machine.engine.start({ plan: document, source: { folder }, workload: {} });
    await waitFor(() => expect(machine.calls).toHaveLength(1));
    const [left] = await store.executions({ parent: id });
    expect((await rowToResume(store, left!)).execution_id).toBe(id);
    expect(await leftBehind(store, (await store.execution(id))!)).toEqual([]);
    await abandon(store, id, failure('unknown', 'it crashed').error!, Date.now());
    expect(await rowToResume(store, left!)).toEqual(left);
    expect(await leftBehind(store, (await store.execution(id))!)).toEqual([left]);
    const second = boot(store, undefined, { resolve });
    const state = (await second.engine.adopt(left!.execution_id))!;
    expect(state.status).toBe('cancelled');
    expect(second.calls).toEqual([]);
    expect((await store.execution(left!.execution_id))!.ended_at).toBeDefined();
    expect(await leftBehind(store, (await store.execution(id))!)).toEqual([]);
  });

  it('both continue after a crash while a child runs', async () => {
    for (let point = 1; point < 8; point++) {
      const store = new MemoryStore();
      const document = plan([
        step('start', { tasks: [call({ args: { n: 7 }, return_step: 'inner' })], to: [arc('end')] }),
        step('end'),
      ]);
      const first = boot(failingAfter(store, point), (probed) => ok(probed.input.n as Json), { resolve });
      child.steps[0]!.tasks[0]!.input = { n: '{{ n }}' };
      await first.run(document).catch(() => {});
      const rows = await store.executions({ roots: true });
      const second = boot(store, (probed) => ok(probed.input.n as Json), { resolve });
      const adopted = await second.engine.adopt(rows[0]!.execution_id);
      const state =
        adopted!.status === 'succeeded' ? adopted! : await second.engine.finished(rows[0]!.execution_id);
      expect(state.steps.get('start')!.result).toBe(7);
      expect(await store.executions()).toHaveLength(2);
    }
  });
});

describe('a server beside others', () => {
  const chain = plan([step('start', { tasks: [probe('p')], to: ['b'] }), step('b', { tasks: [probe('q')] })]);
  const shared = (store: MemoryStore, more: Partial<EngineOptions> = {}) =>
    boot(store, undefined, { driver: 'server-1', ...more });

  it('a frame that the store cannot accept fails its own execution and no other', async () => {
    const store = new MemoryStore();
    const append = store.append.bind(store);
    store.append = async (batch) => {
      if (batch.some((one) => one.execution_id === 'poison')) throw new RangeError('too long for the index');
      return append(batch);
    };
    const { engine } = shared(store);
    const start = (executionId: string) =>
      engine.start({ plan: chain, source: {}, workload: {}, executionId });
    const [poison, good] = await Promise.allSettled([start('poison'), start('good')]);
    expect(poison).toMatchObject({ status: 'rejected', reason: { message: 'too long for the index' } });
    expect(good).toMatchObject({ status: 'fulfilled' });
    await waitFor(async () => expect((await store.execution('good'))?.status).toBe('succeeded'));
    expect(engine.failure).toBeUndefined();
  });

  it('a store that reads but does not write is reported at once, and nothing loops', async () => {
    const store = new MemoryStore();
    const append = vi.spyOn(store, 'append').mockRejectedValue(new StoreError('disk_full', 'no space'));
    const { engine } = shared(store);
    await expect(engine.start({ plan: chain, source: {}, workload: {} })).rejects.toThrow('no space');
    expect(append.mock.calls.length).toBeLessThan(3);
  });

  it('a refused command leaves a resting execution at rest', async () => {
    const store = new MemoryStore();
    const { engine } = shared(store);
    const wait = plan([step('start', { tasks: [task('w', { kind: 'wait', input: { seconds: 3600 } })] })]);
    const id = await engine.start({ plan: wait, source: {}, workload: {} });
    await waitFor(() => expect(engine.counts).toEqual({ live: 0, parked: 1 }));
    expect(await engine.command(id, { type: 'ResumeExecution' })).toBe('execution_not_paused');
    expect(engine.counts).toEqual({ live: 0, parked: 1 });
    await engine.close();
  });

  it('a listener cannot stop what it listens to', async () => {
    const store = new MemoryStore();
    const faults: unknown[] = [];
    const onEvents = () => {
      throw new Error('a listener broke');
    };
    const { engine } = shared(store, { onEvents, onFault: (_, error) => faults.push(error) });
    const id = await engine.start({ plan: chain, source: {}, workload: {} });
    await waitFor(async () => expect((await store.execution(id))?.status).toBe('succeeded'));
    expect(faults.length).toBeGreaterThan(0);
  });
});

describe('a run that cannot continue', () => {
  const chain = plan([step('start', { tasks: [probe('p')], to: ['b'] }), step('b', { tasks: [probe('q')] })]);
  /** Accepts what starts a run, and then only short frames. */
  function cramped(): MemoryStore {
    const store = new MemoryStore();
    const append = store.append.bind(store);
    store.append = async (batch) => {
      const isLong = batch.some(({ events }) => events.some(({ name }) => name === 'task.done'));
      if (isLong) throw new RangeError('Invalid string length');
      return append(batch);
    };
    return store;
  }

  for (const driver of [undefined, 'server-1']) {
    it(`fails if its frame is too long for a text, ${driver ? 'on a server' : 'alone'}`, async () => {
      const store = cramped();
      const { engine } = boot(store, undefined, driver === undefined ? {} : { driver });
      const id = await engine.start({ plan: chain, source: {}, workload: {} });
      await waitFor(async () => expect((await store.execution(id))?.status).toBe('failed'));
      expect(await store.execution(id)).toMatchObject({
        error: 'Woof cannot continue this run: Invalid string length',
        ended_at: expect.any(Number),
      });
      expect((await loadState(store, id))?.status).toBe('failed');
      expect(engine.failure).toBeUndefined();
    });
  }

  it('alone, notifies whoever waits for its end', async () => {
    const state = await boot(cramped()).run(chain);
    expect(state).toMatchObject({ status: 'failed', error: { message: /Woof cannot continue this run/ } });
  });

  it('alone, lets its caller continue and tells it why', async () => {
    const child = plan([step('inner', { tasks: [task('large')] })]);
    const store = new MemoryStore();
    const append = store.append.bind(store);
    store.append = async (batch) => {
      const isLong = batch.some(({ events }) =>
        events.some(({ name, step: at }) => name === 'task.done' && at === 'inner'),
      );
      if (isLong) throw new RangeError('Invalid string length');
      return append(batch);
    };
    const caller = plan([
      step('call', { tasks: [task('c', { kind: 'playbook', input: { path: 'child' } })] }),
    ]);
    const resolve = async () => ({ plan: child, source: {} });
    const state = await boot(store, undefined, { resolve }).run(caller);
    expect(state).toMatchObject({ status: 'failed', error: { message: /Woof cannot continue this run/ } });
  });

  it('that is nested and too large to load has failed for its caller', async () => {
    const parked = plan([step('inner', { tasks: [task('w', { kind: 'wait', input: { seconds: 3600 } })] })]);
    const caller = plan([
      step('call', { tasks: [task('c', { kind: 'playbook', input: { path: 'child' } })] }),
    ]);
    const resolve = async () => ({ plan: parked, source: {} });
    const store = new MemoryStore();
    const before = boot(store, undefined, { resolve });
    const id = await before.engine.start({ plan: caller, source: {}, workload: {} });
    await waitFor(async () => expect(await store.executions({ parent: id })).toHaveLength(1));
    await waitFor(() => expect([...before.engine.stateOf(id)!.jobs.values()][0]!.child).not.toBeNull());
    await before.engine.close();
    const [child] = await store.executions({ parent: id });
    store.snapshot = async (executionId) =>
      executionId === child!.execution_id ? { seq: 1, state: ' '.repeat(3000) } : undefined;
    const { engine } = boot(store, undefined, { resolve, limits: { state_bytes: 1000 } });
    await engine.adopt(id);
    expect(await engine.finished(id)).toMatchObject({
      status: 'failed',
      error: { message: /too large to load/ },
    });
  });

  it('fails when each of several attempts fails for its own reason', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const store = new MemoryStore();
    const before = boot(store, () => new Promise(() => {}), { driver: 'server-1' });
    const id = await before.engine.start({ plan: chain, source: {}, workload: {} });
    store.snapshot = async () => {
      throw new Error('its snapshot is odd');
    };
    const { engine } = boot(store, undefined, { driver: 'server-2' });
    await store.takeDue('server-2', 10);
    await engine.driveSurely(id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await store.execution(id)).toMatchObject({
      status: 'failed',
      error: 'Woof cannot continue this run: its snapshot is odd',
    });
    await engine.close();
  });

  it('continues with few jobs at a time while all runs together hold too much', async () => {
    const document = plan([
      step('one', { tasks: [probe('p')], to: ['each'] }),
      step('each', {
        loop: loop('{{ range(50) }}', { mode: 'parallel', maxInFlight: 50 }),
        tasks: [probe('p')],
      }),
    ]);
    let most = 0;
    const { engine, run } = boot(
      new MemoryStore(),
      ({ executionId }) => {
        most = Math.max(most, engine.stateOf(executionId)!.jobs.size);
        return ok();
      },
      { limits: { process_bytes: 1 } },
    );
    expect(await run(document)).toMatchObject({ status: 'succeeded' });
    expect(most).toBe(4);
    expect(engine.isFull).toBe(false);
  });

  it('writes frames no larger than the limit', async () => {
    const store = new MemoryStore();
    const { run } = boot(store, undefined, { limits: { frame_events: 3 } });
    const { execution_id, seq } = await run(plan([step('one', { to: ['two'] }), step('two')]));
    let read = 0;
    for await (const { from, events } of store.read(execution_id)) {
      expect([from, events.length <= 3]).toEqual([read, true]);
      read += events.length;
    }
    expect(read).toBe(seq);
  });

  it('fails when its state is too large', async () => {
    const wide = plan([
      step('start', {
        loop: loop('{{ range(3000) }}', { mode: 'parallel', maxInFlight: 10 }),
        tasks: [task('n', { input: { result: "{{ 'x' * 900 }}" } })],
      }),
    ]);
    const { run } = boot(new MemoryStore(), undefined, { limits: { state_bytes: 200_000 } });
    expect(await run(wide)).toMatchObject({
      status: 'failed',
      error: {
        code: 'limit/state_bytes',
        message: expect.stringMatching(
          /most of it \(\d\.\d MiB\) for items and results of loops, and the limit is 0\.2 MiB/,
        ),
      },
    });
  });

  it('fails before it holds many times its limit, however much its templates create', async () => {
    const large = { text: "{{ 'x' * 60000 }}" };
    const held = Array.from({ length: 20 }, () => arc('hold', { args: large }));
    const growing = plan([
      step('start', { tasks: [probe('once')], to: ['grow'] }),
      step('grow', { tasks: [], mode: 'inclusive', to: [arc('grow'), ...held] }),
      step('hold', { tasks: [probe('never')] }),
    ]);
    const store = new MemoryStore();
    const begins = ({ idempotencyKey: key }: ToolCall) =>
      key.includes('once') ? ok() : new Promise<Outcome>(() => {});
    const { engine } = boot(store, begins, { limits: { state_bytes: 2_000_000 } });
    const id = await engine.start({ plan: growing, source: { folder }, workload: {} });
    expect(await engine.finished(id)).toMatchObject({ error: { code: 'limit/state_bytes' } });
    const tokens = (await readEvents(store, id)).filter(({ name }) => name === 'token.enqueued');
    expect(60_000 * tokens.length).toBeLessThan(20_000_000);
  });
});
