import { describe, expect, it } from 'vitest';
import { Turnstile } from './turnstile.ts';

const free = new AbortController().signal;

/** Many enter at once; each leaves when `leave` is called with its number. */
function crowd(turnstile: Turnstile, count: number, signals: AbortSignal[] = []) {
  const entered: number[] = [];
  const leave = new Map<number, () => void>();
  const ended = Array.from({ length: count }, (_, number) =>
    turnstile.pass(signals[number] ?? free, () => {
      entered.push(number);
      return new Promise<number>((resolve) => leave.set(number, () => resolve(number)));
    }),
  );
  return { entered, ended, leave: (number: number) => leave.get(number)!() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Turnstile', () => {
  it('admits up to the limit, the others in order of arrival', async () => {
    const { entered, ended, leave } = crowd(new Turnstile(2), 4);
    await settled();
    expect(entered).toEqual([0, 1]);
    leave(1);
    await settled();
    expect(entered).toEqual([0, 1, 2]);
    leave(0);
    await settled();
    for (const number of [2, 3]) leave(number);
    expect(await Promise.all(ended)).toEqual([0, 1, 2, 3]);
  });

  it('one that is aborted while it waits leaves the queue, and its place goes to the next', async () => {
    const controller = new AbortController();
    const { entered, ended, leave } = crowd(new Turnstile(1), 3, [free, controller.signal]);
    const aborted = expect(ended[1]).rejects.toThrow('no longer wanted');
    controller.abort(new Error('no longer wanted'));
    await aborted;
    leave(0);
    await settled();
    expect(entered).toEqual([0, 2]);
  });

  it('a body that throws returns its place', async () => {
    const turnstile = new Turnstile(1);
    const failing = turnstile.pass(free, () => Promise.reject(new Error('x')));
    await expect(failing).rejects.toThrow('x');
    expect(await turnstile.pass(free, async () => 1)).toBe(1);
  });
});
