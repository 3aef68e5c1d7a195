/** What a seed stands for: how many of everything, and what goes wrong. */
import { FAULTS, type Fault, KINDS, type Shape } from './faults.ts';
import { Random } from './random.ts';

/** Of every four seeds, one is quiet. */
export function shapeOf(seed: number): Shape {
  const random = new Random(seed);
  const quiet = seed % 4 === 0;
  const faults = quiet ? [] : FAULTS.filter(() => random.chance(0.6));
  const servers = random.between(1, 3);
  const near = random.between(0, servers);
  return {
    seed,
    servers,
    near,
    workers: random.between(near > 0 ? 0 : 1, 4),
    slots: random.pick([1, 2, 5, 50]),
    // A single one, because others wake what a fault of ours has put to sleep; or a burst.
    executions: quiet ? random.pick([1, 1, 3, 12]) : random.between(1, 8),
    wide: quiet && random.chance(0.3),
    limited: quiet && seed % 8 === 0,
    kinds: quiet ? random.pick([['pure'], ['instant'], ['pure', 'instant'], KINDS]) : KINDS,
    troubledMs: quiet ? random.pick([0, 5000]) : random.between(2000, 40_000),
    faults: new Set<Fault>(faults),
  };
}
