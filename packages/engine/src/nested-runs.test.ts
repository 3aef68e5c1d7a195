import { expect, it } from 'vitest';
import { NestedRuns } from './nested-runs.ts';

const root = (name: string) => `root of ${name}`;
const child = (name: string, n: number | string) => [root(name), `${name} ${n}`] as const;

it('counts nested runs of any depth for the run that they belong to', async () => {
  const nested = new NestedRuns(2, async () => false);
  expect(await nested.add(...child('aaaa', 1))).toBe(true);
  expect(await nested.add(...child('aaaa', 'deeper'))).toBe(true);
  expect(await nested.add(...child('aaaa', 2))).toBe(false);
  expect(await nested.add(...child('aaaa', 1))).toBe(true);
  expect(await nested.add(...child('bbbb', 1))).toBe(true);
  nested.remove(...child('aaaa', 1));
  expect(await nested.add(...child('aaaa', 2))).toBe(true);
});

it('refuses no run while others may have ended elsewhere, and asks the store once for all', async () => {
  const over = new Set<string>();
  let asked = 0;
  const nested = new NestedRuns(2, async (id) => {
    asked += 1;
    return over.has(id);
  });
  for (const n of [1, 2]) {
    await nested.add(...child('aaaa', n));
    over.add(child('aaaa', n)[1]);
  }
  expect(await Promise.all([3, 4].map((n) => nested.add(...child('aaaa', n))))).toEqual([true, true]);
  expect(asked).toBe(2);
});

it('forgets everything about a run that has ended', async () => {
  const nested = new NestedRuns(1, async () => false);
  await nested.add(...child('aaaa', 1));
  nested.remove(root('aaaa'), root('aaaa'));
  expect(await nested.add(...child('aaaa', 2))).toBe(true);
});
