import { plan, step } from '@woof/testkit';
import { expect, it } from 'vitest';
import { Paces } from './paces.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** How many of the jobs begin in each tick if each takes this long. */
async function ticksOf(paces: Paces, clock: { ms: number }, jobMs: number, document = plan([step('start')])) {
  const ticks: number[] = [];
  let isNew = true;
  const begin = () => {
    if (isNew) {
      ticks.push(0);
      isNew = false;
      queueMicrotask(() => {
        isNew = true;
      });
    }
    ticks[ticks.length - 1]! += 1;
    clock.ms += jobMs;
  };
  paces.of(document).each(Array(20).fill(0), begin);
  while (ticks.reduce((sum, count) => sum + count, 0) < 20) await tick();
  // The last one is measured, too.
  for (let more = 0; more < 5; more++) await tick();
  return ticks;
}

it('short jobs begin together, long ones one per tick', async () => {
  const clock = { ms: 0 };
  const paces = new Paces(() => clock.ms);
  const document = plan([step('start')]);
  expect(await ticksOf(paces, clock, 0.1, document)).toEqual([1, 2, 4, 8, 5]);
  expect(await ticksOf(paces, clock, 0.1, document)).toEqual([20]);
  expect(await ticksOf(paces, clock, 30)).toEqual(Array(20).fill(1));
  expect(await ticksOf(paces, clock, 0.1, document)).toEqual([20]);
});
