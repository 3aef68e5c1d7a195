/** Messages between processes. They may be lost; here nothing interferes, so they arrive. */
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';
import { beforeEach, describe, expect, it } from 'vitest';
import { type StoreFixture, until } from './store-fixture.ts';

export function exerciseMessages(current: () => StoreFixture): void {
  describe('tell and listen', () => {
    let store: SharedStore;
    beforeEach(() => {
      store = current().store;
    });
    const heard = (messages: JsonObject[], count: number) => until(async () => messages.length >= count);

    it('reaches the addressee, and nobody else', async () => {
      const [mine, others]: [JsonObject[], JsonObject[]] = [[], []];
      await store.listen('s1', (message) => mine.push(message));
      await store.listen('s2', (message) => others.push(message));
      const teller = current().tellsItselfOnly ? store : ((await current().another?.()) ?? store);
      const odd = { text: "a\u0000b\ud800'ü😀", n: [1, null] };
      await teller.tell('s1', odd);
      await teller.tell('s2', { last: true });
      await heard(mine, 1);
      await heard(others, 1);
      expect(mine).toEqual([odd]);
      expect(others).toEqual([{ last: true }]);
    });

    it('keeps the order of one sender', async () => {
      const messages: JsonObject[] = [];
      await store.listen('s1', (message) => messages.push(message));
      for (let n = 0; n < 30; n++) await store.tell('s1', { n });
      await heard(messages, 30);
      expect(messages.map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    });

    it('reaches each listener of the id, until it stops', async () => {
      const [first, second]: [JsonObject[], JsonObject[]] = [[], []];
      const stop = await store.listen('s1', (message) => first.push(message));
      await store.listen('s1', (message) => second.push(message));
      await store.tell('s1', { n: 1 });
      await heard(first, 1);
      await heard(second, 1);
      await stop();
      await store.tell('s1', { n: 2 });
      await heard(second, 2);
      expect(first).toEqual([{ n: 1 }]);
    });

    it('allows a message to nobody', async () => {
      await store.tell('nobody', { n: 1 });
    });

    it('refuses a message that is too large for a store, and delivers the largest allowed', async () => {
      const messages: JsonObject[] = [];
      await store.listen('s1', (message) => messages.push(message));
      await expect(store.tell('s1', { text: 'x'.repeat(8000) })).rejects.toThrow(/limit is 7000/);
      await store.tell('s1', { text: '"'.repeat(3494) });
      await heard(messages, 1);
      expect(messages).toEqual([{ text: '"'.repeat(3494) }]);
    });
  });
}
