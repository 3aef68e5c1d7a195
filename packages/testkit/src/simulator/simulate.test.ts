import { describe, expect, it } from 'vitest';
import { FAULTS, KINDS, type Shape } from './faults.ts';
import type { Sabotage } from './sabotage.ts';
import { shapeOf } from './shape-of.ts';
import { simulate } from './simulate.ts';

const SEEDS = 300;

describe('many servers and workers, while everything goes wrong', () => {
  for (let from = 1; from <= SEEDS; from += 50) {
    it(`seeds ${from} to ${from + 49} keep every rule`, async () => {
      for (let seed = from; seed < from + 50; seed++) {
        const report = await simulate(shapeOf(seed));
        expect(report.violation, `npm run simulate -- --seeds 1 --from ${seed}`).toBeUndefined();
      }
    });
  }

  it('the same seed gives the same run', async () => {
    const once = await simulate(shapeOf(42));
    expect(await simulate(shapeOf(42))).toEqual(once);
    expect(once.events).toBeGreaterThan(50);
  });
});

describe('what is broken on purpose is noticed', () => {
  const shape = (seed: number): Shape => ({
    seed,
    servers: 2,
    near: 1,
    workers: 2,
    slots: 5,
    executions: 6,
    wide: false,
    limited: false,
    kinds: KINDS,
    troubledMs: 10_000,
    faults: new Set(FAULTS),
  });
  const sabotages: Sabotage[] = ['forgetful-store', 'two-writers', 'trusting-workers'];
  for (const sabotage of sabotages) {
    it(sabotage, async () => {
      let violation: string | undefined;
      for (let seed = 1; seed <= 40 && violation === undefined; seed++)
        ({ violation } = await simulate(shape(seed), sabotage));
      expect(violation).toBeDefined();
    });
  }
});
