/**
 * Runs one seed: the real engine and the real worker, several of each, on simulated time, store and network, or in one
 * simulated folder, while things go wrong. Then the faults stop, and everything must end well.
 */
import { Cluster } from './cluster.ts';
import type { Shape } from './faults.ts';
import { Violation } from './log-watch.ts';
import { OneFolder } from './one-folder.ts';
import type { QuietWatch } from './quiet-watch.ts';
import { Random } from './random.ts';
import type { Sabotage } from './sabotage.ts';
import type { Scene } from './scene.ts';
import { plansOf } from './sim-plans.ts';
import { VirtualTime } from './virtual-time.ts';
import { World } from './world.ts';

const LOOK_EVERY_MS = 100;
/** After the faults stop, everything must end within this much simulated time. */
const PATIENCE_MS = 600_000;

export interface Report {
  shape: Shape;
  events: number;
  effects: number;
  simulatedMs: number;
  /** In a folder: runs that a process took from one that was gone, and resumes that were refused. */
  taken: number;
  refused: number;
  /** The rule that was broken; undefined is the goal. */
  violation?: string;
}

export async function simulate(shape: Shape, sabotage?: Sabotage): Promise<Report> {
  const random = new Random(shape.seed * 31 + 7);
  const time = new VirtualTime(random);
  const world = new World(shape, random, time, sabotage);
  const begun = time.now;
  const report = () => ({
    shape,
    events: world.watch.events,
    effects: world.effects,
    simulatedMs: time.now - begun,
    taken: world.owners?.taken ?? 0,
    refused: world.owners?.refused ?? 0,
  });
  return time.within(async () => {
    try {
      await play(world, world.owners ? new OneFolder(world, world.owners) : new Cluster(world));
      return report();
    } catch (error) {
      const violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error);
      return { ...report(), violation };
    }
  });
}

async function play(world: World, scene: Scene): Promise<void> {
  const { shape, time, random, watch } = world;
  scene.boot();
  const plans = plansOf(shape);
  plans.forEach((document, index) => {
    time.after(random.delay(0, shape.troubledMs), () => void scene.submit(document, `sim-run-${index}`));
  });
  scene.trouble();
  if (world.quiet) look(world, world.quiet);
  await time.run(() => world.violation !== undefined, shape.troubledMs);
  world.endTrouble();
  scene.recover();
  const ended = () => world.acknowledged.length === plans.length && watch.unended.length === 0;
  const done = await time.run(() => world.violation !== undefined || ended(), PATIENCE_MS);
  if (world.violation) throw world.violation;
  if (!done) throw world.stuck(plans.length);
  watch.checkReplay((length) => random.between(0, length));
}

function look(world: World, quiet: QuietWatch): void {
  world.guard(() => quiet.check());
  world.time.after(LOOK_EVERY_MS, () => look(world, quiet));
}
