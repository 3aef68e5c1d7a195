import { expect, it, onTestFinished, vi } from 'vitest';
import { Exits } from './exits.ts';

/** Names of the waiters that were woken; the first character is the limit. */
function waiters(...names: string[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const exits = new Exits();
  const woken: string[] = [];
  for (const name of names) {
    const waiter = exits.wait(name.slice(0, 1));
    void waiter.left(250).then(() => {
      woken.push(name);
      waiter.end();
    });
  }
  return { exits, woken };
}

it('wakes one waiter of the same limit for each that leaves, first come first served', async () => {
  const { exits, woken } = waiters('a1', 'b1', 'a2');
  exits.left('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toEqual(['a1']);
  exits.left('a', 2);
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toEqual(['a1', 'a2']);
});

it('wakes everybody when the time is up: the process of a holder may be gone', async () => {
  const { woken } = waiters('a1', 'a2');
  await vi.advanceTimersByTimeAsync(250);
  expect(woken).toEqual(['a1', 'a2']);
});

it('notices a holder that leaves after the refusal and before the wait', async () => {
  const { exits } = waiters();
  const waiter = exits.wait('a');
  exits.left('a');
  await waiter.left(250);
  expect(vi.getTimerCount()).toBe(0);
});

it('wakes another when the one that was woken got in by itself', async () => {
  const { exits, woken } = waiters();
  const first = exits.wait('a');
  const second = exits.wait('a');
  void second.left(250).then(() => woken.push('second'));
  exits.left('a');
  first.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toEqual(['second']);
});
