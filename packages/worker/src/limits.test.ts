import { describe, expect, it, vi } from 'vitest';
import { Limits, limitOf } from './limits.ts';

const never = new AbortController().signal;

describe('spec.limit', () => {
  it('admits no more tasks than its concurrency, first come first served', async () => {
    const limits = new Limits();
    const limit = { key: 'api', concurrency: 2, perSecond: Number.POSITIVE_INFINITY };
    const order: number[] = [];
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const leave = await limits.enter(limit, never);
        order.push(index);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
        leave();
      }),
    );
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('holds when a newcomer arrives just as a place is handed over', async () => {
    const limits = new Limits();
    const limit = { key: 'api', concurrency: 1, perSecond: Number.POSITIVE_INFINITY };
    let inside = 0;
    let most = 0;
    const task = async () => {
      const leave = await limits.enter(limit, never);
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      leave();
    };
    const worker = async () => {
      for (let count = 0; count < 20; count++) await task();
    };
    await Promise.all([worker(), worker()]);
    expect(most).toBe(1);
  });

  it('spaces starts by per_second', async () => {
    vi.useFakeTimers();
    const limits = new Limits(() => Date.now());
    const limit = { key: 'api', concurrency: Number.POSITIVE_INFINITY, perSecond: 4 };
    const begun = Date.now();
    const starts: number[] = [];
    const all = Array.from({ length: 5 }, async () => {
      (await limits.enter(limit, never))();
      starts.push(Date.now() - begun);
    });
    await vi.advanceTimersByTimeAsync(2000);
    await Promise.all(all);
    vi.useRealTimers();
    expect(starts).toEqual([0, 250, 500, 750, 1000]);
  });

  it('does not make tasks with other keys wait', async () => {
    const limits = new Limits();
    const one = (key: string) =>
      limits.enter({ key, concurrency: 1, perSecond: Number.POSITIVE_INFINITY }, never);
    await one('a');
    await one('b');
  });

  it('removes an aborted task from the queue', async () => {
    const limits = new Limits();
    const limit = { key: 'a', concurrency: 1, perSecond: Number.POSITIVE_INFINITY };
    const leave = await limits.enter(limit, never);
    const aborted = new AbortController();
    const second = limits.enter(limit, aborted.signal);
    const third = limits.enter(limit, never);
    aborted.abort();
    await expect(second).rejects.toThrow('aborted');
    leave();
    (await third)();
  });

  it.each([
    [{ limit: {} }, /needs a key/],
    [{ limit: { key: 'a', concurrency: 0 } }, /concurrency to be a number above 0, got 0/],
    [{ limit: { key: 'a', per_second: 'x' } }, /per_second to be a number above 0, got "x"/],
  ])('%j is refused', (spec, message) => {
    expect(limitOf(spec)).toMatch(message);
  });
});
