import { expect, it, onTestFinished, vi } from 'vitest';
import { Exits } from './exits.ts';

/** Names of those who were woken. */
function waiters(...names: string[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const exits = new Exits();
  const woken: string[] = [];
  for (const name of names) void exits.next(name.slice(0, 1), 250).then(() => woken.push(name));
  return { exits, woken };
}

it('wakes one of the same limit for each that leaves, first come first served', async () => {
  const { exits, woken } = waiters('a1', 'b1', 'a2');
  exits.left('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toEqual(['a1']);
  exits.left('a');
  exits.left('a');
  await vi.advanceTimersByTimeAsync(0);
  expect(woken).toEqual(['a1', 'a2']);
});

it('wakes everybody when the time is up: another server may have seen somebody leave', async () => {
  const { woken } = waiters('a1', 'a2');
  await vi.advanceTimersByTimeAsync(250);
  expect(woken).toEqual(['a1', 'a2']);
});
