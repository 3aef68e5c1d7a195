import { expect, it } from 'vitest';
import { FairTicks } from './fair-ticks.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('does one piece in each tick, runs in turn', async () => {
  const ticks = new FairTicks();
  const done: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1']) ticks.add(name.slice(0, 1), () => done.push(name));
  const seen: string[] = [];
  while (done.length < 4) {
    await tick();
    seen.push(done.join());
  }
  expect(seen.filter((text, index) => text !== seen[index - 1] && text !== '')).toEqual([
    'a1',
    'a1,b1',
    'a1,b1,a2',
    'a1,b1,a2,a3',
  ]);
});

it('goes on after a piece that fails', async () => {
  const ticks = new FairTicks();
  const turns = [ticks.turn('a').then(() => Promise.reject(new Error('it fails'))), ticks.turn('a')];
  expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
