/** What a seed stands for: how many of everything, and what goes wrong. */
import { FAULTS, type Fault, KINDS, type Shape } from './faults.ts';
import { Random } from './random.ts';

/** What may go wrong in one folder: there is no network, and a local process stops when it cannot write. */
const OF_FOLDER: readonly Fault[] = [
  'crash-process',
  'crash-server',
  'sleep',
  'store-away',
  'store-answer-lost',
  'tool-fails',
  'people',
];
const OF_CLUSTER = FAULTS.filter((fault) => fault !== 'crash-process');

/** One in four seeds is quiet; one in five is a folder. */
export function shapeOf(seed: number): Shape {
  return seed % 5 === 0 ? folderOf(seed) : clusterOf(seed);
}

function folderOf(seed: number): Shape {
  const random = new Random(seed);
  const quiet = seed % 4 === 0;
  const servers = random.between(0, 1);
  return {
    seed,
    servers,
    near: servers,
    workers: 0,
    processes: random.between(1, 3),
    slots: random.pick([1, 2, 5, 50]),
    executions: random.between(1, 8),
    wide: false,
    limited: false,
    kinds: KINDS,
    troubledMs: random.between(2000, 20_000),
    faults: new Set(quiet ? [] : OF_FOLDER.filter(() => random.chance(0.6))),
  };
}

function clusterOf(seed: number): Shape {
  const random = new Random(seed);
  const quiet = seed % 4 === 0;
  const faults = quiet ? [] : OF_CLUSTER.filter(() => random.chance(0.6));
  const servers = random.between(1, 3);
  const near = random.between(0, servers);
  return {
    seed,
    servers,
    near,
    workers: random.between(near > 0 ? 0 : 1, 4),
    processes: 0,
    slots: random.pick([1, 2, 5, 50]),
    // A single execution, because others would wake what a bug has put to sleep; or a burst.
    executions: quiet ? random.pick([1, 1, 3, 12]) : random.between(1, 8),
    wide: quiet && random.chance(0.3),
    limited: quiet && seed % 8 === 0,
    kinds: quiet ? random.pick([['pure'], ['instant'], ['pure', 'instant'], KINDS]) : KINDS,
    troubledMs: quiet ? random.pick([0, 5000]) : random.between(2000, 40_000),
    faults: new Set<Fault>(faults),
  };
}
