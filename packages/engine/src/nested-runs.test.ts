import { expect, it } from 'vitest';
import { NestedRuns } from './nested-runs.ts';

const child = (root: string, n: number) => `20261116-080000-${root}-${n}`;

it('counts nested runs of any depth for the run that they belong to', async () => {
  const nested = new NestedRuns(
    2,
    () => 0,
    async () => false,
  );
  expect(await nested.add(child('aaaa', 1))).toBe(true);
  expect(await nested.add(`${child('aaaa', 1)}-deeper`)).toBe(true);
  expect(await nested.add(child('aaaa', 2))).toBe(false);
  expect(await nested.add(child('bbbb', 1))).toBe(true);
  nested.remove(child('aaaa', 1));
  expect(await nested.add(child('aaaa', 2))).toBe(true);
});

it('asks for those whose end another server saw, but not each time', async () => {
  let now = 100_000;
  let asked = 0;
  const over = new Set<string>();
  const nested = new NestedRuns(
    1,
    () => now,
    async (id) => {
      asked += 1;
      return over.has(id);
    },
  );
  await nested.add(child('aaaa', 1));
  expect([await nested.add(child('aaaa', 2)), await nested.add(child('aaaa', 2)), asked]).toEqual([
    false,
    false,
    1,
  ]);
  over.add(child('aaaa', 1));
  now += 10_000;
  expect(await nested.add(child('aaaa', 2))).toBe(true);
});
