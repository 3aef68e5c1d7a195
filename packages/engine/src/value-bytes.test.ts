/** Whether a value is too large to read depends on the value, never on which of its parts are stored. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, type JsonObject, type Plan, type State, settled } from '@woof/net';
import { FileBlobs, Values } from '@woof/stores';
import { arc, loop, plan, step, task } from '@woof/testkit';
import type { Tool } from '@woof/tools';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineWithWorker } from './fixtures/engine-with-worker.ts';

const VALUE_BYTES = 2048;
const INLINE = [0, 256, 2048, 64 * 1024, Number.POSITIVE_INFINITY];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-value-bytes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Returns its input, like a tool that reads all of it. */
const reader: Tool = {
  schema: { kind: 'reader', summary: '', fields: {} },
  run: async (call) => ({ status: 'ok', result: { got: call.input.value ?? null } }),
};

async function stateOf(document: Plan, inlineMaxBytes: number): Promise<State> {
  const limits = { value_bytes: VALUE_BYTES };
  const { engine } = engineWithWorker(folder, { inlineMaxBytes, limits }, [reader]);
  return engine.finished(await engine.start({ plan: document, source: { folder }, workload: {} }));
}

/** What a run resulted in, with nothing stored. */
async function meaning(document: Plan, inlineMaxBytes: number): Promise<JsonObject> {
  const { status, error, steps, ctx } = await stateOf(document, inlineMaxBytes);
  const { resolve } = new Values(new FileBlobs(join(folder, 'blobs')));
  const whole = (value: Json | undefined) => settled(value ?? null, resolve);
  const ran = [...steps].map(([name, of]) => [name, of.status, whole(of.result)] as Json);
  return { status, error: error?.message ?? null, code: error?.code ?? null, ran, ctx: whole(ctx) };
}

async function sameForAll(document: Plan): Promise<JsonObject> {
  const [first, ...others] = await Promise.all(INLINE.map((inline) => meaning(document, inline)));
  for (const other of others) expect(other).toEqual(first);
  return first!;
}

const gives = (name: string, result: Json, to: string, more = {}) =>
  step(name, { tasks: [task('give', { input: { result } })], to: [arc(to, more)] });

const reads = (value: Json) => step('use', { tasks: [task('read', { kind: 'reader', input: { value } })] });

describe('a result made of large parts', () => {
  const made = (use: Parameters<typeof arc>[1], last = reads(1)) =>
    plan([
      gives('one', 'x'.repeat(1200), 'two'),
      gives('two', 'y'.repeat(1200), 'both'),
      gives('both', { n: 1, a: '{{ one }}', b: '{{ two }}' }, 'use', use),
      last,
    ]);

  it('is too large at the guard that reads one of them', async () => {
    const { error, code } = await sameForAll(made({ when: "{{ both.a[0] == 'x' }}" }));
    expect(code).toBe('too_large');
    expect(error).toMatch(/"both" cannot be loaded: it has 2421 bytes, and the limit is 2048\./);
  });

  it('is too large for a task that reads all of it', async () => {
    const { error } = await sameForAll(made({}, reads(['{{ one }}', '{{ two }}'])));
    expect(error).toMatch(/"value" cannot be loaded: it has 2407 bytes, and the limit is 2048\./);
  });

  it('can be passed on, and its short fields can be read', async () => {
    const { status } = await sameForAll(made({ when: '{{ both.n == 1 }}', args: { all: '{{ both }}' } }));
    expect(status).toBe('succeeded');
  });
});

interface Shape {
  parts: Json[];
  more: JsonObject;
  read: string[];
  place: string;
}

const part: fc.Arbitrary<Json> = fc.oneof(
  fc
    .constantFrom(0, 3, 90, 300, 650, 1000, 1340, 2046, 2047, 2100)
    .map((size) => 'é'.repeat(size / 3).padEnd(size - size / 3, 'x')),
  fc.constantFrom(0, 3, 30, 260, 500).map((length) => Array.from({ length }, (_, index) => index)),
  fc.constantFrom(3, 300, 990).map((size) => ({ v: 1, name: 'abc', pad: ['p'.repeat(size)] })),
);

const READ = [
  'c.n',
  'c.short',
  'c.a',
  'c.a[0]',
  'c.a | length',
  'c.deep.a | length',
  'c.deep',
  'c.list[1]',
  'c.list | length',
  'c.missing is defined',
  'c.late',
  'c | tojson | length',
  'c == one',
  'one | length',
  'one',
  'c',
  'two[0:1]',
  'ctx.kept.b',
  'ctx.kept.short',
  'ctx.grown | length',
  'ctx.grown',
  'ctx | tojson | length',
  'ctx',
  '[one, two] | tojson | length',
  'c.results.give',
  'many.results',
  'many.results | length',
  'many.results[0].item',
];

const PLACES = ['guard', 'args', 'ctx', 'field', 'fields', 'result', 'loop'];

const shape: fc.Arbitrary<Shape> = fc.record({
  parts: fc.array(part, { minLength: 2, maxLength: 2 }),
  more: fc.constantFrom<JsonObject>(
    {},
    Object.fromEntries([...'abcdefghijklmnopqrst'].map((key) => [`k${key}`, 1])),
  ),
  read: fc.array(fc.constantFrom(...READ), { minLength: 2, maxLength: 2 }),
  place: fc.constantFrom(...PLACES),
});

function drawn({ parts: [one, two], more, read, place }: Shape): Plan {
  const [first, second] = read.map((text) => `{{ ${text} }}`) as [string, string];
  const made: JsonObject = { ...more, n: 1, short: '{{ small }}', a: '{{ one }}', b: '{{ two }}' };
  const composed = {
    ...made,
    deep: { s: '{{ small }}', a: '{{ one }}' },
    list: ['{{ one }}', '{{ two }}'],
    late: 2,
  };
  const use: Record<string, Parameters<typeof arc>[1]> = {
    guard: { when: first },
    args: { args: { first, second } },
  };
  const grown = { append: '{{ one }}' };
  const rules = [{ then: { do: 'continue' as const, set_shared: { grown } } }];
  const last =
    {
      field: reads(first),
      fields: reads({ first, second }),
      loop: step('use', { loop: loop(first), tasks: [task('t')] }),
    }[place] ??
    step('use', { tasks: [task('t', { input: { result: place === 'result' ? [first, second] : 1 } })] });
  const looped = { loop: loop(['{{ one }}', '{{ two }}']), to: ['c'] };
  return plan([
    gives('small', 'abc', 'one'),
    gives('one', one!, 'two'),
    gives('two', two!, 'many'),
    step('many', {
      ...looped,
      tasks: [task('give', { input: { result: { item: '{{ iter.item }}' } }, rules })],
    }),
    {
      ...gives('c', composed, 'use', use[place] ?? {}),
      setCtx: { kept: '{{ c }}', ...(place === 'ctx' ? { first, second } : {}) },
    },
    last,
  ]);
}

it('reading near the limit means the same for every inline_max_bytes', async () => {
  const runs = Number(process.env.WOOF_ANY_SIZE ?? 40);
  await fc.assert(
    fc.asyncProperty(shape, async (of) => void (await sameForAll(drawn(of)))),
    { numRuns: runs },
  );
});
