/** Members: which processes are alive. */
import type { Member, SharedStore } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { type StoreFixture, until } from './store-fixture.ts';

const HOUR = 3_600_000;
const server: Member = { id: 's1', kind: 'server', info: { address: 'http://s1', labels: { gpu: '1' } } };
const worker: Member = { id: 'w1', kind: 'worker', info: { text: 'a\u0000b\ud800' } };

export function exerciseMembers(current: () => StoreFixture): void {
  describe('members', () => {
    let store: SharedStore;
    beforeEach(() => {
      store = current().store;
    });
    const rowOf = async (id: string) => (await store.members()).find((row) => row.id === id);
    const dead = (id: string) => until(async () => (await rowOf(id))?.alive === false);

    it('knows those that reported to be alive, with their information', async () => {
      const before = await store.now();
      await store.beat(server, HOUR);
      await store.beat(worker, HOUR);
      const found = await store.members();
      expect(found.map(({ id, kind, info, alive }) => ({ id, kind, info, alive }))).toEqual(
        expect.arrayContaining([
          { ...server, alive: true },
          { ...worker, alive: true },
        ]),
      );
      expect(found).toHaveLength(2);
      for (const row of found) {
        expect(row.since).toBeGreaterThanOrEqual(Math.floor(before));
        expect(row.seen_at).toBe(row.since);
      }
    });

    it('returns those of one kind', async () => {
      await store.beat(server, HOUR);
      await store.beat(worker, HOUR);
      expect((await store.members('worker')).map((row) => row.id)).toEqual(['w1']);
      expect((await store.members('server')).map((row) => row.id)).toEqual(['s1']);
    });

    it('keeps the start time, and takes the latest information', async () => {
      await store.beat(server, HOUR);
      const first = (await rowOf('s1'))!;
      await until(async () => (await store.now()) > first.seen_at + 2);
      await store.beat({ ...server, info: { slots: 2 } }, HOUR);
      const second = (await rowOf('s1'))!;
      expect(second.since).toBe(first.since);
      expect(second.seen_at).toBeGreaterThan(first.seen_at);
      expect(second.info).toEqual({ slots: 2 });
    });

    it('counts those as gone whose time is up, and lets them come back', async () => {
      await store.beat(server, 1);
      const first = (await rowOf('s1'))!;
      await dead('s1');
      await store.beat(server, HOUR);
      const again = (await rowOf('s1'))!;
      expect(again.alive).toBe(true);
      expect(again.since).toBeGreaterThan(first.since);
    });

    it('accepts an unusual id', async () => {
      const id = 'a\u0000\ud800';
      await store.beat({ ...server, id }, HOUR);
      expect((await rowOf(id))?.alive).toBe(true);
      await store.leave(id);
      expect((await rowOf(id))?.alive).toBe(false);
    });

    it('counts those as gone that left, once or twice', async () => {
      await store.beat(server, HOUR);
      await store.leave('s1');
      await store.leave('s1');
      await store.leave('nobody');
      expect((await store.members()).map(({ id, alive }) => ({ id, alive }))).toEqual([
        { id: 's1', alive: false },
      ]);
    });

    it('knows them after it was reopened', async (context) => {
      const { reopen } = current();
      if (reopen === undefined) return context.skip('nothing outlives this store');
      await store.beat(server, HOUR);
      store = await reopen();
      expect((await rowOf('s1'))?.alive).toBe(true);
    });
  });
}
