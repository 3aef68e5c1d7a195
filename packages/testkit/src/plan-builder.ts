/** Plans in a few words, for tests of the core. */
import type { Arc, Loop, Plan, Step, Task } from '@woof/net';

export function task(label: string, more: Partial<Task> = {}): Task {
  return { label, kind: 'noop', at: [1, 1], input: {}, spec: {}, ...more };
}

export function arc(step: string, more: Partial<Arc> = {}): Arc {
  return { step, at: [1, 1], ...more };
}

export function step(
  name: string,
  more: Partial<Step> & { to?: (string | Arc)[]; mode?: 'inclusive' } = {},
): Step {
  const { to = [], mode = 'exclusive', ...rest } = more;
  const arcs = to.map((target) => (typeof target === 'string' ? arc(target) : target));
  return { name, at: [1, 1], join: 'each', admit: [], tasks: [task('work')], next: { mode, arcs }, ...rest };
}

export function loop(items: Loop['in'], more: Partial<Loop> = {}): Loop {
  const maxInFlight = more.mode === 'parallel' ? 10 : 1;
  return {
    in: items,
    iterator: 'item',
    mode: 'sequential',
    maxInFlight,
    exec: 'distributed',
    failure: 'fail_fast',
    ...more,
  };
}

export function plan(steps: Step[], more: Partial<Plan> = {}): Plan {
  return {
    kind: 'playbook',
    name: 'test',
    entry: [steps[0]!.name],
    failure: 'route',
    workload: {},
    keychain: [],
    steps,
    blocks: {},
    where: {},
    ...more,
  };
}
