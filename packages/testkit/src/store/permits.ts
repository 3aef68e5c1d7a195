/** Permits: who may work under a key. */
import type { Permit, SharedStore } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { type StoreFixture, until } from './store-fixture.ts';

const HOUR = 3_600_000;

export function exercisePermits(current: () => StoreFixture): void {
  describe('permits', () => {
    let store: SharedStore;
    const permit = (holder: string, more: Partial<Permit> = {}): Permit => ({
      key: 'k',
      holder,
      member: 'w1',
      concurrency: 1,
      perSecond: null,
      ...more,
    });
    const enter = (holder: string, more?: Partial<Permit>) => store.permits.enter(permit(holder, more));
    const holders = async () => (await store.permits.held()).map((held) => held.holder).sort();

    beforeEach(async () => {
      store = current().store;
      await store.beat({ id: 'w1', kind: 'worker', info: {} }, HOUR);
      await store.beat({ id: 'w2', kind: 'worker', info: {} }, HOUR);
    });

    it('admits as many as the limit allows, and the next when one leaves', async () => {
      expect(await enter('a', { concurrency: 2 })).toBe(0);
      expect(await enter('b', { concurrency: 2 })).toBe(0);
      expect(await enter('c', { concurrency: 2 })).toBeGreaterThan(0);
      expect(await holders()).toEqual(['a', 'b']);
      await store.permits.exit('k', 'a');
      expect(await enter('c', { concurrency: 2 })).toBe(0);
      expect(await holders()).toEqual(['b', 'c']);
    });

    it('treats two requests of one holder as one', async () => {
      expect(await enter('a', { concurrency: 2, perSecond: 0.001 })).toBe(0);
      expect(await enter('a', { concurrency: 2, perSecond: 0.001 })).toBe(0);
      expect(await enter('b', { concurrency: 2 })).toBe(0);
      expect(await holders()).toEqual(['a', 'b']);
    });

    it('keeps keys apart, and says who holds what', async () => {
      const before = await store.now();
      await enter('a', { key: 'x\u0000' });
      expect(await enter('a', { key: 'y', member: 'w2' })).toBe(0);
      await store.permits.exit('y', 'nobody');
      await store.permits.exit('nothing', 'a');
      const held = await store.permits.held();
      expect(held.map(({ since, ...rest }) => rest)).toEqual(
        expect.arrayContaining([
          { key: 'x\u0000', holder: 'a', member: 'w1' },
          { key: 'y', holder: 'a', member: 'w2' },
        ]),
      );
      for (const { since } of held) expect(since).toBeGreaterThanOrEqual(Math.floor(before));
    });

    it('admits any number if there is no limit', async () => {
      for (const holder of ['a', 'b', 'c']) expect(await enter(holder, { concurrency: null })).toBe(0);
      expect(await holders()).toEqual(['a', 'b', 'c']);
    });

    it('ends a permit with its member, even if the member comes back', async () => {
      await enter('a', { member: 'w2' });
      expect(await enter('b')).toBeGreaterThan(0);
      await store.leave('w2');
      expect(await holders()).toEqual([]);
      await store.beat({ id: 'w2', kind: 'worker', info: {} }, HOUR);
      expect(await holders()).toEqual([]);
      expect(await enter('b')).toBe(0);
    });

    it('admits nobody whose member is gone', async () => {
      expect(await enter('a', { member: 'nobody' })).toBeGreaterThan(0);
      await store.leave('w2');
      expect(await enter('a', { member: 'w2' })).toBeGreaterThan(0);
      expect(await holders()).toEqual([]);
    });

    it('spaces entries by the rate, and says when to ask again', async () => {
      const rate = { concurrency: null, perSecond: 0.001 };
      expect(await enter('a', rate)).toBe(0);
      const waitMs = await enter('b', rate);
      expect(waitMs).toBeGreaterThan(900_000);
      expect(waitMs).toBeLessThanOrEqual(1_000_000);
      expect(Number.isInteger(waitMs)).toBe(true);
      await store.permits.exit('k', 'a');
      expect(await enter('b', rate)).toBeGreaterThan(900_000);
      expect(await enter('b', { ...rate, key: 'other' })).toBe(0);
    });

    it('admits the next when its time has come', async () => {
      const rate = { concurrency: null, perSecond: 50 };
      for (const holder of ['a', 'b', 'c', 'd']) {
        await until(async () => (await enter(holder, rate)) === 0);
      }
      const held = (await store.permits.held()).map(({ since }) => since).sort((a, b) => a - b);
      for (let index = 1; index < held.length; index++) {
        expect(held[index]! - held[index - 1]!).toBeGreaterThanOrEqual(19);
      }
    });

    it('does not count an entry that finds it full against the rate', async () => {
      await enter('a');
      expect(await enter('b', { perSecond: 0.001 })).toBeLessThan(900_000);
      await store.permits.exit('k', 'a');
      expect(await enter('b', { perSecond: 0.001 })).toBe(0);
    });

    it('admits no more when many ask at once', async () => {
      const other = (await current().another?.()) ?? store;
      const asked = Array.from({ length: 40 }, (_, n) =>
        (n % 2 ? store : other).permits.enter(permit(`h${n}`, { concurrency: 3 })),
      );
      expect((await Promise.all(asked)).filter((waitMs) => waitMs === 0)).toHaveLength(3);
      expect(await store.permits.held()).toHaveLength(3);
    });

    it('keeps them after it was reopened', async (context) => {
      const { reopen } = current();
      if (reopen === undefined) return context.skip('nothing outlives this store');
      await enter('a');
      store = await reopen();
      expect(await enter('b')).toBeGreaterThan(0);
      expect(await holders()).toEqual(['a']);
    });
  });
}
