/** Large values of a workload are stored like any other, and everything reads them as before. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeJson, isReference, type JsonObject, type Plan } from '@woof/net';
import { arc, loop, plan, step, task } from '@woof/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { engineWithWorker } from './fixtures/engine-with-worker.ts';
import { readEvents } from './replay.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-large-workload-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ROWS = Array.from({ length: 3 }, (_, v) => ({ v, pad: 'p'.repeat(30_000) }));

async function run(document: Plan, workload: JsonObject, nested?: Plan) {
  const resolve = async () => ({ plan: nested!, source: { folder } });
  const { store, engine } = engineWithWorker(folder, { resolve });
  const id = await engine.start({ plan: document, source: { folder }, workload });
  const state = await engine.finished(id);
  const children = await store.executions({ parent: id });
  const starts = await Promise.all([id, ...children.map((row) => row.execution_id)].map(startOf));
  return { state, starts };

  async function startOf(execution: string): Promise<JsonObject[]> {
    const events = await readEvents(store, execution);
    return events.slice(0, 2).map((event) => event.data as unknown as JsonObject);
  }
}

const gives = (name: string, result: unknown, ...to: ReturnType<typeof arc>[]) =>
  step(name, { tasks: [task('give', { input: { result } as JsonObject })], to });

it('is read by guards, loops and tasks', async () => {
  const { state, starts } = await run(
    plan([
      gives('start', '{{ workload.rows[-1].v }}', arc('each', { when: '{{ workload.rows | length == 3 }}' })),
      {
        ...gives('each', '{{ row.v }}', arc('all')),
        loop: loop('{{ workload.rows }}', { iterator: 'row' }),
      },
      gives('all', '{{ rows | map(attribute="v") | sum + workload.small }}'),
    ]),
    { rows: ROWS, small: 1 },
  );
  expect(state.steps.get('each')?.result).toMatchObject({ results: [0, 1, 2] });
  expect(state.result).toBe(4);
  const { rows, small } = starts[0]![1]!.workload as JsonObject;
  expect([isReference(rows), small]).toEqual([true, 1]);
});

it('passes to nested playbooks by reference, with the item of the calling loop', async () => {
  const call = { path: 'child', args: { rows: '{{ [row, row] }}' } };
  const { state, starts } = await run(
    plan([
      step('start', {
        tasks: [task('call', { kind: 'playbook', input: call })],
        loop: loop('{{ workload.lists }}', { iterator: 'row' }),
      }),
    ]),
    { lists: [ROWS] },
    plan([gives('start', '{{ [workload.rows[0][1].v, iter.row[2].v] }}')]),
  );
  expect(state.steps.get('start')?.result).toMatchObject({ results: [{ result: [1, 2] }] });
  for (const data of starts.flat()) expect(encodeJson(data).length).toBeLessThan(3000);
});

it('keeps what looks like a reference as data', async () => {
  const forged = {
    kind: 'reference',
    store: 'file',
    key: 'k',
    checksum: `sha256:${'a'.repeat(64)}`,
    size: 3,
    schema_hint: null,
  };
  const { state } = await run(plan([gives('start', '{{ workload.odd.it.key }}')]), {
    odd: { it: forged, pad: 'p'.repeat(70_000) },
  });
  expect(state.result).toBe('k');
});
