/** The plans that simulated people start. */
import type { Plan } from '@woof/net';
import fc from 'fast-check';
import { loop, plan, step, task } from '../plan-builder.ts';
import { randomPlan } from '../random-plan.ts';
import type { Shape } from './faults.ts';
import { LIMIT_PLACES } from './quiet-watch.ts';
import { Random } from './random.ts';
import { readsOf } from './sight-watch.ts';

const WIDEST = 120;

/** The plan that calling plans call. */
export const CHILD = plan([
  step('inner', { tasks: [task('a', { kind: 'pure' })], to: ['after'] }),
  step('after', { tasks: [task('b', { kind: 'instant' })] }),
]);

/** All tasks that have this limit share it, whichever server their workers use. */
const LIMIT = { key: 'shared', concurrency: LIMIT_PLACES };

/** The zone of a worker: steps may ask for one. */
export const zoneOf = (index: number): string => (index % 2 === 0 ? 'even' : 'odd');

export function plansOf(shape: Shape): Plan[] {
  return fc.sample(arbitraryPlan(shape), { seed: shape.seed, numRuns: shape.executions });
}

/** Any plan; sometimes one whose first step calls another playbook, or has a wide loop. */
function arbitraryPlan({ kinds, wide, limited, near, workers }: Shape): fc.Arbitrary<Plan> {
  const dice = fc.record({ calls: fc.nat(3), widens: fc.nat(2), width: fc.nat(WIDEST), seed: fc.nat() });
  return fc.tuple(randomPlan, dice).map(([document, { calls, widens, width, seed }]) => {
    const random = new Random(seed);
    for (const each of document.steps) {
      const saw = readsOf(
        document,
        each.tasks.map(({ label }) => label),
      );
      for (const one of each.tasks) {
        one.kind = random.pick(kinds);
        one.input = { saw };
        if (limited && random.chance(0.5)) one.spec = { ...one.spec, limit: LIMIT };
      }
      if (near + workers > 1 && random.chance(0.2)) each.labels = { zone: zoneOf(random.between(0, 1)) };
    }
    const [first] = document.steps;
    if (first === undefined || first.tasks.length === 0) return document;
    if (calls === 0) first.tasks[0] = task('call', { kind: 'playbook', input: { path: 'child' } });
    if (wide && widens === 0)
      first.loop = loop([...Array(width).keys()], { mode: 'parallel', maxInFlight: width });
    return document;
  });
}
