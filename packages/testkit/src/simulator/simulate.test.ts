import { describe, expect, it } from 'vitest';
import { FAULTS, KINDS, type Shape } from './faults.ts';
import type { Sabotage } from './sabotage.ts';
import { shapeOf } from './shape-of.ts';
import { simulate } from './simulate.ts';

/** `npm run simulate` runs as many as requested. */
const SEEDS = 50;
const AT_ONCE = 10;
/** The rarest of the deliberate faults shows in one seed of fourteen. */
const MOST_SEEDS = 150;

describe('many servers and workers, or many processes of one folder, while everything goes wrong', () => {
  for (let from = 1; from <= SEEDS; from += AT_ONCE) {
    it(`seeds ${from} to ${from + AT_ONCE - 1} keep every rule`, async () => {
      for (let seed = from; seed < from + AT_ONCE; seed++) {
        const report = await simulate(shapeOf(seed));
        expect(report.violation, `npm run simulate -- --seeds 1 --from ${seed}`).toBeUndefined();
      }
    });
  }

  it('processes of a folder take runs over, and refuse each other', async () => {
    const { taken, refused } = await simulate(shapeOf(40));
    expect([taken, refused].every((count) => count > 2)).toBe(true);
  });

  it('a server that takes over a run continues its nested runs', async () => {
    expect((await simulate(shapeOf(6865))).violation).toBeUndefined();
  });

  it('a run that was paused at a server that is gone is resumed at the next server', async () => {
    expect((await simulate(shapeOf(81_070))).violation).toBeUndefined();
  });

  it('the same seed gives the same run', async () => {
    const once = await simulate(shapeOf(42));
    expect(await simulate(shapeOf(42))).toEqual(once);
    expect(once.events).toBeGreaterThan(50);
  });
});

describe('deliberate faults are noticed', () => {
  const cluster = (seed: number): Shape => ({
    seed,
    servers: 2,
    near: 1,
    workers: 2,
    processes: 0,
    slots: 5,
    executions: 6,
    wide: false,
    limited: false,
    kinds: KINDS,
    troubledMs: 10_000,
    faults: new Set(FAULTS),
  });
  const folder = (seed: number): Shape => ({
    ...cluster(seed),
    servers: 1,
    workers: 0,
    processes: 2,
    faults: new Set(['crash-process', 'crash-server', 'sleep']),
  });
  const quietFolder = (seed: number): Shape => ({ ...folder(seed), faults: new Set() });

  const broken: [Sabotage, (seed: number) => Shape, RegExp][] = [
    ['forgetful-store', cluster, /./],
    ['two-writers', cluster, /./],
    ['trusting-workers', cluster, /./],
    ['nobody-is-there', folder, /takes it from local-\S+, which is there/],
    ['stopped-is-gone', folder, /takes it from local-\S+, which is there/],
    ['blind-claim', folder, /takes it from local-\S+, which is there/],
    ['early-release', folder, /without its lock/],
    ['rude-stop', quietFolder, /expired where nothing fails/],
    ['live-state', quietFolder, /and its lease shows/],
  ];
  it.each(broken)('%s', async (sabotage, shape, expected) => {
    let violation: string | undefined;
    for (let seed = 1; seed <= MOST_SEEDS && violation === undefined; seed++)
      ({ violation } = await simulate(shape(seed), sabotage));
    expect(violation).toMatch(expected);
  });

  it('and nothing is noticed if nothing is broken', async () => {
    for (const shape of [cluster, folder, quietFolder])
      for (let seed = 1; seed <= 5; seed++) expect((await simulate(shape(seed))).violation).toBeUndefined();
  });
});
