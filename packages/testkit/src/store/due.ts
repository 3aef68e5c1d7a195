/** Which executions need a driver. */
import type { SharedStore } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { begin, events, row, type StoreFixture, until } from './store-fixture.ts';

const HOUR = 3_600_000;

export function exerciseDue(current: () => StoreFixture): void {
  describe('due', () => {
    let store: SharedStore;
    const server = (id: string) => ({ id, kind: 'server', info: {} }) as const;

    beforeEach(async () => {
      store = current().store;
      await store.beat(server('s1'), HOUR);
      await store.beat(server('s2'), HOUR);
    });

    it('returns those that nobody drives, the oldest first and each once', async () => {
      await begin(store, [row('a'), row('b', { driver: null }), row('c')]);
      expect(await store.takeDue('s1', 2)).toEqual(['a', 'b']);
      expect(await store.takeDue('s2', 2)).toEqual(['c']);
      expect(await store.takeDue('s1', 2)).toEqual([]);
      expect((await store.execution('a'))?.driver).toBe('s1');
      expect((await store.execution('c'))?.driver).toBe('s2');
    });

    it('returns only running ones', async () => {
      const others = (['paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const).map((status) =>
        row(status, { status }),
      );
      await begin(store, [...others, row('a')]);
      expect(await store.takeDue('s1', 10)).toEqual(['a']);
    });

    it('returns those whose driver left, stopped, or never existed', async () => {
      await store.beat(server('s3'), 1);
      await until(async () => (await store.members()).some(({ id, alive }) => id === 's3' && !alive));
      const rows = ['s1', 's2', 's3', 'nobody'].map((driver) => row(`of-${driver}`, { driver }));
      await begin(store, rows);
      await store.leave('s2');
      expect(await store.takeDue('s1', 10)).toEqual(['of-s2', 'of-s3', 'of-nobody']);
      expect(await store.takeDue('s1', 10)).toEqual([]);
    });

    it('returns those of the driver whose time has come, and nobody else’s', async () => {
      const now = await store.now();
      await begin(store, [
        row('past', { driver: 's1', due_at: now - 1 }),
        row('later', { driver: 's1', due_at: now + HOUR }),
        row('never', { driver: 's1', due_at: null }),
        row('other', { driver: 's2', due_at: now - 1 }),
      ]);
      expect(await store.takeDue('s1', 10)).toEqual(['past']);
      expect(await store.takeDue('s1', 10)).toEqual([]);
      expect((await store.execution('past'))?.due_at).toBeNull();
      expect((await store.execution('later'))?.due_at).toBe(now + HOUR);
    });

    it('keeps a time that has not come when another driver takes over', async () => {
      const due_at = (await store.now()) + HOUR;
      await begin(store, [row('a', { driver: 'nobody', due_at })]);
      expect(await store.takeDue('s1', 1)).toEqual(['a']);
      expect(await store.execution('a')).toEqual(row('a', { driver: 's1', due_at }));
    });

    it('returns one again when its time comes again', async () => {
      await begin(store, [row('a', { driver: 's1' })]);
      expect(await store.takeDue('s1', 1)).toEqual([]);
      const due_at = (await store.now()) + 1;
      await store.append([{ execution_id: 'a', expected: 1, events: events('step.done'), row: { due_at } }]);
      await until(async () => (await store.takeDue('s1', 1)).length > 0);
      expect(await store.takeDue('s1', 1)).toEqual([]);
    });

    it('returns those that an append woke to their driver, once', async () => {
      await begin(store, [row('caller', { driver: 's2' }), row('child', { driver: 's1' })]);
      const end = { status: 'succeeded' } as const;
      const wakes = ['caller', 'unknown'];
      await store.append([
        { execution_id: 'child', expected: 1, events: events('workflow.finished'), row: end, wakes },
      ]);
      expect(await store.takeDue('s1', 10)).toEqual([]);
      expect(await store.takeDue('s2', 10)).toEqual(['caller']);
      expect(await store.takeDue('s2', 10)).toEqual([]);
    });

    it('keeps a wake that its execution’s own append overtakes', async () => {
      await begin(store, [row('caller', { driver: 's1' }), row('child', { driver: 's1' })]);
      await store.append([{ execution_id: 'child', expected: 1, events: [], wakes: ['caller'] }]);
      const change = { due_at: null };
      await store.append([{ execution_id: 'caller', expected: 1, events: events('step.done'), row: change }]);
      expect(await store.takeDue('s1', 10)).toEqual(['caller']);
    });

    it('keeps a wake of a paused one until it runs again', async () => {
      await begin(store, [row('caller', { driver: 's1', status: 'paused' }), row('child', { driver: 's1' })]);
      await store.append([{ execution_id: 'child', expected: 1, events: [], wakes: ['caller'] }]);
      expect(await store.takeDue('s1', 10)).toEqual([]);
      await store.append([{ execution_id: 'caller', expected: 1, events: [], row: { status: 'running' } }]);
      expect(await store.takeDue('s1', 10)).toEqual(['caller']);
    });

    it('wakes nobody with a frame that it refuses', async () => {
      await begin(store, [row('caller', { driver: 's1' }), row('child', { driver: 's1' })]);
      const stale = { execution_id: 'child', expected: 0, events: events('step.done'), wakes: ['caller'] };
      expect(await store.append([stale])).toHaveLength(1);
      expect(await store.takeDue('s1', 10)).toEqual([]);
    });

    it('leaves what a local process drives, or left, to the process that claims it', async () => {
      await begin(store, [row('a', { driver: 'local-7-x' }), row('b', { driver: 'local-gone' })]);
      expect(await store.takeDue('s1', 10)).toEqual([]);
    });

    it('lets one of several claim an execution, with all its nested ones', async () => {
      const made = [row('a', { driver: 'x' }), row('a1', { parent: 'a' }), row('a2', { parent: 'a1' })];
      const ended = row('a3', { parent: 'a2', status: 'failed' });
      await begin(store, [...made, ended, row('b')]);
      const other = (await current().another?.()) ?? store;
      const won = await Promise.all([store.claim('a', 'x', 's1'), other.claim('a', 'x', 's2')]);
      expect(won.filter(Boolean)).toHaveLength(1);
      const driver = won[0] ? 's1' : 's2';
      const rows = await Promise.all(['a', 'a1', 'a2'].map((id) => other.execution(id)));
      expect(rows.map((one) => one?.driver)).toEqual([driver, driver, driver]);
      expect(await store.execution('a3')).toEqual(ended);
      expect(await store.claim('a', 'x', 's3')).toBe(false);
      expect(await store.claim('b', 'x', 's3')).toBe(false);
      expect(await store.claim('unknown', null, 's3')).toBe(false);
      expect(await store.claim('b', null, 's3')).toBe(true);
      expect(await store.execution('b')).toEqual(row('b', { driver: 's3' }));
    });

    it('never returns the same to two callers at once', async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `e${index}`);
      await begin(
        store,
        ids.map((id) => row(id)),
      );
      const other = (await current().another?.()) ?? store;
      const asked = Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? store : other).takeDue(index % 2 ? 's1' : 's2', 10),
      );
      const taken = (await Promise.all(asked)).flat();
      expect(new Set(taken).size).toBe(taken.length);
      for (let more = ['']; more.length > 0; taken.push(...more)) more = await store.takeDue('s1', 10);
      expect(taken.sort()).toEqual([...ids].sort());
    });
  });
}
