import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { delay } from './delay.ts';

test('a delay that is over leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  const waiting = delay(1, signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a delay ends when its signal aborts', async () => {
  const controller = new AbortController();
  const waiting = delay(2 ** 31 - 1, controller.signal);
  controller.abort();
  await waiting;
});
