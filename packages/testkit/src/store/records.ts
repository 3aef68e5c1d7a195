/** Records: small values with a name. */
import type { Records } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { exactValues } from '../exact-values.ts';
import type { StoreFixture } from './store-fixture.ts';

export function exerciseRecords(current: () => StoreFixture): void {
  describe('records', () => {
    let records: Records;
    beforeEach(() => {
      records = current().store.records;
    });
    const keys = async (...args: Parameters<Records['list']>) =>
      (await records.list(...args)).map((record) => record.key);

    it('returns what was put, and increments versions', async () => {
      const deep = [{ n: -1.5e-7, no: null, yes: true }, ...exactValues(50)];
      const odd = { text: 'a\u0000b\ud800\u2028ü😀', deep };
      expect(await records.put('c', 'k', { first: 1 })).toBe(true);
      expect(await records.get('c', 'k')).toEqual({ key: 'k', version: 1, value: { first: 1 } });
      expect(await records.put('c', 'k', odd)).toBe(true);
      expect(await records.get('c', 'k')).toEqual({ key: 'k', version: 2, value: odd });
      expect(await records.get('c', 'other')).toBeUndefined();
      expect(await records.get('other', 'k')).toBeUndefined();
    });

    it('refuses a put that expects another version', async () => {
      expect(await records.put('c', 'k', { n: 1 }, 1)).toBe(false);
      expect(await records.put('c', 'k', { n: 1 }, 0)).toBe(true);
      expect(await records.put('c', 'k', { n: 2 }, 0)).toBe(false);
      expect(await records.put('c', 'k', { n: 2 }, 1)).toBe(true);
      expect(await records.put('c', 'k', { n: 3 }, 1)).toBe(false);
      expect(await records.get('c', 'k')).toEqual({ key: 'k', version: 2, value: { n: 2 } });
    });

    it('adds several at once, and leaves existing ones alone', async () => {
      const odd = { text: 'a\u0000b\ud800ü😀', deep: exactValues(50) };
      await records.put('c', 'b', { n: 1 });
      await records.add('c', [
        { key: 'a\u0000', value: odd },
        { key: 'b', value: { n: 2 } },
        { key: 'd', value: {} },
      ]);
      await records.add('c', []);
      expect(await records.list('c')).toEqual([
        { key: 'a\u0000', version: 1, value: odd },
        { key: 'b', version: 1, value: { n: 1 } },
        { key: 'd', version: 1, value: {} },
      ]);
    });

    it('removes, once, and only the expected version', async () => {
      await records.put('c', 'k', {});
      expect(await records.remove('c', 'k', 2)).toBe(false);
      expect(await records.remove('c', 'k', 1)).toBe(true);
      expect(await records.remove('c', 'k')).toBe(false);
      await records.put('c', 'k', {});
      expect(await records.remove('c', 'k')).toBe(true);
      expect(await records.get('c', 'k')).toBeUndefined();
    });

    it('removes for one of several that ask at once', async () => {
      await records.put('c', 'k', {});
      const removed = await Promise.all([1, 2, 3, 4].map(() => records.remove('c', 'k', 1)));
      expect(removed.filter((isMine) => isMine)).toHaveLength(1);
    });

    it('lists by key, in pages, from a prefix on', async () => {
      for (const key of ['b/2', 'a', 'b/10', 'b', 'B', 'ü', 'b/1', '😀', '\uffee']) {
        await records.put('c', key, { key });
      }
      await records.put('d', 'a', {});
      expect(await keys('c')).toEqual(['B', 'a', 'b', 'b/1', 'b/10', 'b/2', 'ü', '\uffee', '😀']);
      expect(await keys('c', { limit: 3 })).toEqual(['B', 'a', 'b']);
      expect(await keys('c', { after: 'b', limit: 2 })).toEqual(['b/1', 'b/10']);
      expect(await keys('c', { prefix: 'b/' })).toEqual(['b/1', 'b/10', 'b/2']);
      expect(await keys('c', { prefix: 'b/', after: 'b/1', limit: 5 })).toEqual(['b/10', 'b/2']);
      expect(await keys('none')).toEqual([]);
      expect((await records.list('c', { limit: 1 }))[0]).toEqual({
        key: 'B',
        version: 1,
        value: { key: 'B' },
      });
    });

    it('takes any key', async () => {
      const odd = ['', '\u0000', 'a\u0000b', '\ud800', '\u001a0000', 'a\\b'];
      for (const key of odd) await records.put('c\u0000', key, { key });
      for (const key of odd) expect((await records.get('c\u0000', key))?.value).toEqual({ key });
      expect((await keys('c\u0000')).sort()).toEqual([...odd].sort());
      for (const key of odd) expect(await records.remove('c\u0000', key)).toBe(true);
    });

    it('takes pattern characters literally', async () => {
      for (const key of ['%', '_', 'a%', 'ab', "'; --"]) await records.put('c', key, {});
      expect(await keys('c', { prefix: 'a%' })).toEqual(['a%']);
      expect(await keys('c', { prefix: '_' })).toEqual(['_']);
      expect(await keys('c', { prefix: "'" })).toEqual(["'; --"]);
    });

    it('lets one of many win that expect the same version', async () => {
      const other = (await current().another?.())?.records ?? records;
      const puts = Array.from({ length: 16 }, (_, n) => (n % 2 ? records : other).put('c', 'k', { n }, 0));
      expect((await Promise.all(puts)).filter((won) => won)).toHaveLength(1);
      expect((await records.get('c', 'k'))?.version).toBe(1);
      await Promise.all(Array.from({ length: 16 }, (_, n) => (n % 2 ? records : other).put('c', 'k', { n })));
      expect((await records.get('c', 'k'))?.version).toBe(17);
    });

    it('knows them after it was reopened', async (context) => {
      const { reopen } = current();
      if (reopen === undefined) return context.skip('nothing outlives this store');
      await records.put('c', 'k', { n: 1 });
      records = (await reopen()).records;
      expect(await records.get('c', 'k')).toEqual({ key: 'k', version: 1, value: { n: 1 } });
    });
  });
}
