/** Many values of medium size leave no room in an event: the largest are stored, and everything reads them as before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeJson, isReference, type JsonObject, type Plan } from '@woof/net';
import { arc, loop, plan, step, task } from '@woof/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StartRequest } from './engine-options.ts';
import { engineWithWorker } from './fixtures/engine-with-worker.ts';
import { readEvents } from './replay.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-event-size-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ROOM = 64 * 1024;
/** For names, references and the other fields of an event. */
const FRAME = 8 * 1024;
const KEYS = Array.from({ length: 20 }, (_, n) => n);

/** Twenty values of nearly the size that may be inline. */
const many = (name: string, value = "{{ 'x' * 60000 }}"): JsonObject =>
  Object.fromEntries(KEYS.map((n) => [`${name}${n}`, value]));

async function run(document: Plan, workload: JsonObject = {}, more: StartRequest['more'] = {}) {
  const { store, engine } = engineWithWorker(folder);
  const id = await engine.start({ plan: document, source: { folder }, workload, more });
  const { status, result } = await engine.finished(id);
  const events = await readEvents(store, id);
  const large = events.filter((event) => encodeJson(event.data ?? null).length > ROOM + FRAME);
  return { status, result, events, large: large.map(({ name }) => name) };
}

const done = (result: unknown, input: JsonObject = {}) => [
  task('give', { input: { result, ...input } as JsonObject }),
];

it('of a workload', async () => {
  const document = plan([step('start', { tasks: done('{{ workload.w7 | length }}') })]);
  const { result, large, events } = await run(document, { ...many('w', 'x'.repeat(60_000)), small: 1 });
  expect([result, large]).toEqual([60_000, []]);
  const { workload } = events[1]!.data as { workload: JsonObject };
  expect(workload.small).toBe(1);
  expect(Object.values(workload).filter((value) => isReference(value))).toHaveLength(19);
});

it('moves no short values, and not very many, because each costs a file', async () => {
  const document = plan([step('start', { tasks: done('{{ workload.w299 | length }}') })]);
  const stored = async (count: number, length: number) => {
    const values = Array.from({ length: count }, (_, n) => [`w${n}`, `${n}`.padEnd(length, 'x')]);
    const { result, events } = await run(document, Object.fromEntries(values));
    const { workload } = events[1]!.data as { workload: JsonObject };
    return [result, Object.values(workload).filter((value) => isReference(value)).length];
  };
  expect(await stored(300, 1100)).toEqual([1100, 0]);
  expect(await stored(300, 17_000)).toEqual([17_000, 128]);
});

it('of arguments, also if several arcs add to them and several tokens meet', async () => {
  const sends = { mode: 'inclusive' } as const;
  const document = plan([
    step('start', {
      tasks: done(1),
      ...sends,
      to: [arc('a', { args: many('p') }), arc('b', { args: many('q') })],
    }),
    step('a', { tasks: done(1), to: [arc('all', { args: many('r') })] }),
    step('b', { tasks: done(1), args: many('own'), to: [arc('all')] }),
    step('all', { tasks: done('{{ [args | length, args.p3 | length, r4 | length] }}'), join: 'all' }),
  ]);
  const { result, large } = await run(document);
  expect([result, large]).toEqual([[60, 60_000, 60_000], []]);
});

it('of ctx, patched by a step, a rule and a reducer', async () => {
  const rules = [
    {
      then: {
        do: 'continue' as const,
        set_ctx: many('c'),
        set_vars: many('v'),
        set_iter: many('i'),
        set_shared: Object.fromEntries(KEYS.map((n) => [`s${n}`, { append: "{{ 'x' * 60000 }}" }])),
      },
    },
  ];
  const document = plan([
    step('start', {
      tasks: [task('give', { input: { result: 1 }, rules })],
      setCtx: many('own'),
      to: [arc('b')],
    }),
    step('b', {
      tasks: [
        task('give', {
          input: { result: 1 },
          rules: [{ then: { do: 'continue', set_shared: rules[0]!.then.set_shared } }],
        }),
      ],
      to: [arc('c')],
    }),
    step('c', {
      tasks: done('{{ [ctx.c3 | length, ctx.own4 | length, ctx.s5 | length, ctx.s5[1] | length] }}'),
    }),
  ]);
  const { result, large } = await run(document);
  expect([result, large]).toEqual([[60_000, 60_000, 2, 60_000], []]);
});

it('of what a loop collects', async () => {
  const document = plan([
    { ...step('start', { tasks: done("{{ 'x' * 60000 }}"), to: [arc('b')] }), loop: loop('{{ range(20) }}') },
    step('b', { tasks: done('{{ start.results[19] | length }}') }),
  ]);
  const { result, large } = await run(document);
  expect([result, large]).toEqual([60_000, []]);
});

it('of what a rerun adopts', async () => {
  const document = plan([
    step('start', { tasks: [task('t0'), task('t1')], to: [arc('b')] }),
    step('b', { tasks: done('{{ [start.results.t3 | length, t4 | length, ctx.c5 | length] }}') }),
  ]);
  const [tasks, ctx] = [many('t', 'x'.repeat(60_000)), many('c', 'x'.repeat(60_000))];
  const start = { status: 'succeeded' as const, runs: 1, retries: 0, result: 1, tasks };
  const tokens = [{ step: 'b', args: {} }];
  const adopt = { rerun_of: 'before', ctx, steps: { start }, labels: { start: tasks }, tokens };
  const { result, large } = await run(document, {}, { adopt });
  expect([result, large]).toEqual([[60_000, 60_000, 60_000], []]);
});
