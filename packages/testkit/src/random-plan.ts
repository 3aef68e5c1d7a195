/** Arbitrary plans: chains, branches, joins, cycles that end, loops of any nesting. */
import type { Loop, Plan, Step } from '@woof/net';
import fc from 'fast-check';
import { arc, loop, plan, step, task } from './plan-builder.ts';

const loopSpec: fc.Arbitrary<Loop> = fc
  .record({
    size: fc.nat(5),
    mode: fc.constantFrom('sequential' as const, 'parallel' as const),
    limit: fc.integer({ min: 1, max: 4 }),
    failure: fc.constantFrom('fail_fast' as const, 'best_effort' as const),
    inner: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ size, mode, limit, failure, inner }) => {
    const items = Array.from({ length: size }, (_, index) => index);
    const outer = loop(items, { mode, failure, maxInFlight: mode === 'parallel' ? limit : 1 });
    if (inner !== undefined) {
      const rows = Array.from({ length: inner }, (_, index) => index);
      outer.inner = loop(rows, { iterator: 'row', mode, failure, maxInFlight: limit });
    }
    return outer;
  });

interface Draft {
  tasks: number;
  loop: Loop | undefined;
  join: boolean;
  inclusive: boolean;
  targets: number[];
  onFailure: number | undefined;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  tasks: fc.nat(3),
  loop: fc.option(loopSpec, { nil: undefined, freq: 2 }),
  join: fc.boolean(),
  inclusive: fc.boolean(),
  targets: fc.array(fc.nat(20), { maxLength: 3 }),
  onFailure: fc.option(fc.nat(20), { nil: undefined }),
});

/** Arcs lead forwards, so that every execution ends. */
function toStep(from: Draft, index: number, count: number): Step {
  const forward = (pick: number) => `s${index + 1 + (pick % Math.max(1, count - index - 1))}`;
  const last = index === count - 1;
  const arcs = last ? [] : from.targets.map((pick) => arc(forward(pick)));
  if (from.onFailure !== undefined && !last) {
    arcs.push(arc(forward(from.onFailure), { when: "{{ event.name == 'step.failed' }}" }));
  }
  return step(`s${index}`, {
    tasks: Array.from({ length: from.tasks }, (_, number) => task(`t${number}`)),
    ...(from.loop ? { loop: from.loop } : {}),
    join: from.join ? 'all' : 'each',
    to: arcs,
    ...(from.inclusive ? { mode: 'inclusive' as const } : {}),
  });
}

export const randomPlan: fc.Arbitrary<Plan> = fc
  .record({
    drafts: fc.array(draft, { minLength: 1, maxLength: 7 }),
    failure: fc.constantFrom('route' as const, 'skip' as const),
  })
  .map(({ drafts, failure }) => {
    const steps = drafts.map((item, index) => toStep(item, index, drafts.length));
    return failure === 'skip' ? asGraph(steps) : plan(steps, { failure });
  });

/** Cells and stages: every dependency is an arc without a guard, every step joins all, every root is an entry. */
function asGraph(steps: Step[]): Plan {
  const targets = new Set<string>();
  for (const each of steps) {
    each.join = 'all';
    each.next.mode = 'inclusive';
    const seen = new Set<string>();
    each.next.arcs = each.next.arcs.filter((to) => !to.when && !seen.has(to.step) && seen.add(to.step));
    for (const to of each.next.arcs) targets.add(to.step);
  }
  const entry = steps.map((each) => each.name).filter((name) => !targets.has(name));
  return plan(steps, { failure: 'skip', entry });
}
