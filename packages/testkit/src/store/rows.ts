/** Rows, plans, snapshots, and how they are found. */
import type { Plan } from '@woof/net';
import { type ExecutionFilter, everyExecution, type Store } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { plan, step } from '../plan-builder.ts';
import { begin, events, row, type StoreFixture } from './store-fixture.ts';

export function exerciseRows(current: () => StoreFixture): void {
  describe('rows', () => {
    let store: Store;
    const first = { row: row('a'), plan: { hash: 'h', plan: plan([step('start')]) } };
    const start = () =>
      store.append([{ execution_id: 'a', expected: 0, events: events('workflow.started'), ...first }]);

    beforeEach(() => {
      store = current().store;
    });

    it('keeps the plan by its hash', async () => {
      await start();
      expect(await store.plan('h')).toEqual(first.plan.plan satisfies Plan);
      expect(await store.plan('other')).toBeUndefined();
      expect(await store.plan('\0')).toBeUndefined();
    });

    it('keeps rows, changes them, and lists the newest first', async () => {
      await start();
      await store.append([
        {
          execution_id: 'b',
          expected: 0,
          events: events('workflow.started'),
          row: row('b', { parent: 'a' }),
        },
      ]);
      const end = { status: 'failed', ended_at: 7, error: 'boom' } as const;
      await store.append([{ execution_id: 'a', expected: 1, events: events('workflow.finished'), row: end }]);
      expect(await store.execution('a')).toEqual({ ...row('a'), ...end });
      const ids = async (filter?: Parameters<Store['executions']>[0]) =>
        (await store.executions(filter)).map((found) => found.execution_id);
      expect(await ids()).toEqual(['b', 'a']);
      expect(await ids({ status: 'failed' })).toEqual(['a']);
      expect(await ids({ roots: true })).toEqual(['a']);
      expect(await ids({ limit: 1 })).toEqual(['b']);
    });

    it('keeps the latest snapshot', async () => {
      await start();
      expect(await store.snapshot('a')).toBeUndefined();
      await store.saveSnapshot('a', { seq: 1, state: '{"a":1}' });
      await store.saveSnapshot('a', { seq: 1, state: '{"a":2}' });
      expect(await store.snapshot('a')).toEqual({ seq: 1, state: '{"a":2}' });
    });

    it('keeps a snapshot of megabytes', async () => {
      await start();
      const state = JSON.stringify({
        names: Array.from({ length: 100_000 }, (_, index) => `größe ${index}`),
      });
      await store.saveSnapshot('a', { seq: 1, state });
      expect((await store.snapshot('a'))?.state === state).toBe(true);
    });

    it('changes a row without an event', async () => {
      await start();
      expect(
        await store.append([{ execution_id: 'a', expected: 1, events: [], row: { name: 'b' } }]),
      ).toEqual([]);
      expect(await store.execution('a')).toEqual(row('a', { name: 'b' }));
      const empty = { execution_id: 'e', expected: 0, events: [] };
      await store.append([{ ...empty, row: row('e') }]);
      await store.append([{ ...empty, row: { status: 'cancelled' } }]);
      expect(await store.execution('e')).toEqual(row('e', { status: 'cancelled' }));
    });

    it('finds a row by its new values', async () => {
      await begin(store, [row('a', { path: 'p', parent: 'x', wants: { gpu: '1' } })]);
      const change = {
        path: 'q',
        parent: 'y',
        name: 'n',
        kind: 'notebook',
        status: 'paused',
        wants: null,
      } as const;
      await store.append([{ execution_id: 'a', expected: 1, events: [], row: change }]);
      const count = async (filter: ExecutionFilter) => (await store.executions(filter)).length;
      for (const key of ['path', 'parent', 'name', 'kind', 'status'] as const) {
        expect([key, await count({ [key]: change[key] })]).toEqual([key, 1]);
        expect([key, await count({ [key]: 'p' })]).toEqual([key, 0]);
      }
      expect(await count({ wanting: true })).toBe(0);
    });

    it('is not changed through the values that it returned', async () => {
      await start();
      Object.assign((await store.execution('a'))!, { name: 'changed' });
      Object.assign((await store.executions())[0]!, { name: 'changed' });
      expect(await store.execution('a')).toEqual(row('a'));
    });

    it('finds rows by a filter', async () => {
      const wants = { labels: { gpu: '1' } };
      await begin(store, [
        row('a', { path: 'p/a', name: 'one' }),
        row('b', { kind: 'notebook', status: 'failed', wants: null }),
        row('c', { parent: 'a', status: 'paused', wants }),
        row('d', { parent: 'a', path: 'p/a', status: 'succeeded' }),
      ]);
      const ids = async (filter: ExecutionFilter) =>
        (await store.executions(filter)).map((found) => found.execution_id).join('');
      expect(await ids({})).toBe('dcba');
      expect(await ids({ status: ['failed', 'paused'] })).toBe('cb');
      expect(await ids({ status: [] })).toBe('');
      expect(await ids({ kind: 'notebook' })).toBe('b');
      expect(await ids({ name: 'one' })).toBe('a');
      expect(await ids({ path: 'p/a' })).toBe('da');
      expect(await ids({ parent: 'a' })).toBe('dc');
      expect(await ids({ roots: true })).toBe('ba');
      expect(await ids({ wanting: true })).toBe('c');
      expect(await ids({ parent: 'a', status: 'succeeded', path: 'p/a' })).toBe('d');
      expect(await ids({ name: "' OR TRUE --" })).toBe('');
    });

    it('returns pages by the last row of the page before', async () => {
      const made = Array.from({ length: 25 }, (_, index) =>
        row(`e${index}`, { kind: index % 2 ? 'x' : 'y' }),
      );
      await begin(store, made);
      const seen: string[] = [];
      for (let page = await store.executions({ kind: 'x', limit: 5 }); page.length > 0; ) {
        seen.push(...page.map((found) => found.execution_id));
        page = await store.executions({ kind: 'x', limit: 5, before: seen.at(-1)! });
      }
      const odd = made.filter((found) => found.kind === 'x').map((found) => found.execution_id);
      expect(seen).toEqual(odd.reverse());
      for (const size of [1, 5, 12, 100]) {
        const paged: string[] = [];
        for await (const found of everyExecution(store, { kind: 'x' }, size)) paged.push(found.execution_id);
        expect(paged).toEqual(seen);
      }
      expect(await store.executions({ before: 'unknown' })).toEqual([]);
    });
  });
}
