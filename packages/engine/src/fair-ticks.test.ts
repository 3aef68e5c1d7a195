import { expect, it, vi } from 'vitest';
import { Deferred } from './deferred.ts';
import { FairTicks } from './fair-ticks.ts';

/** Vitest's own default gives up after a second, which a busy machine may need. */
const PATIENCE = { timeout: 500_000, interval: 5 };

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

it('continues after a piece that fails', async () => {
  const ticks = new FairTicks();
  const turns = [ticks.turn('a').then(() => Promise.reject(new Error('it fails'))), ticks.turn('a')];
  expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

it('does nothing until there is room, even if whoever makes room fails', async () => {
  const full = [new Deferred<void>(), new Deferred<void>()];
  let asked = 0;
  const ticks = new FairTicks(() => full[asked++]?.promise);
  let isDone = false;
  const done = ticks.turn('a').then(() => {
    isDone = true;
  });
  await vi.waitFor(() => expect(asked).toBe(1), PATIENCE);
  full[0]!.resolve();
  await vi.waitFor(() => expect(asked).toBe(2), PATIENCE);
  expect(isDone).toBe(false);
  full[1]!.reject(new Error('it fails'));
  await done;
});
