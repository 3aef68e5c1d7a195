import { expect, it } from 'vitest';
import { FairStarts } from './fair-starts.ts';
import { FairTicks } from './fair-ticks.ts';

const settled = async () => {
  for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
};

/** Starts that are durable when the test says so. */
function begun(starts: FairStarts, count: number) {
  const open: (() => void)[] = [];
  const all = Array.from({ length: count }, () =>
    starts.start('a', () => new Promise<void>((resolve) => open.push(resolve))),
  );
  return { open, all };
}

it('alone, a run begins as many as it asks for', async () => {
  const { open } = begun(new FairStarts(new FairTicks(), () => false), 10);
  await settled();
  expect(open).toHaveLength(10);
});

it('beside others, few begin before the log has the earlier ones, and all do in the end', async () => {
  const { open, all } = begun(new FairStarts(new FairTicks(), () => true), 10);
  await settled();
  expect(open).toHaveLength(4);
  open[0]!();
  await settled();
  expect(open).toHaveLength(5);
  for (let done = 1; done < 10; done++) {
    open[done]!();
    await settled();
  }
  await Promise.all(all);
});

it('one that fails gives its place to the next', async () => {
  const starts = new FairStarts(new FairTicks(), () => true);
  const fail = () => Promise.reject(new Error('it fails'));
  const all = Array.from({ length: 9 }, () => starts.start('a', fail));
  expect((await Promise.allSettled(all)).every(({ status }) => status === 'rejected')).toBe(true);
  expect(await starts.start('a', async () => 'it begins')).toBe('it begins');
});

it('says when starts wait, and tells when none does any more', async () => {
  let told = 0;
  const starts = new FairStarts(
    new FairTicks(),
    () => true,
    () => (told += 1),
  );
  const { open } = begun(starts, 6);
  await settled();
  expect([starts.hasWaiting('a'), starts.hasWaiting('b')]).toEqual([true, false]);
  open[0]!();
  await settled();
  expect([starts.hasWaiting('a'), told]).toEqual([true, 0]);
  open[1]!();
  await settled();
  expect([starts.hasWaiting('a'), told]).toEqual([false, 1]);
});
