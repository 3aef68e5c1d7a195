/** Plans of noop steps, built directly: the benchmarks measure the engine, not the document parser. */
import type { Plan, Step } from '@woof/net';

export function step(name: string, next?: string, kind = 'noop'): Step {
  return {
    name,
    at: [1, 1],
    join: 'each',
    admit: [],
    tasks: [{ label: 'task_1', kind, at: [1, 1], input: {}, spec: {} }],
    next: { mode: 'exclusive', arcs: next === undefined ? [] : [{ step: next, at: [1, 1] }] },
  };
}

export function planOf(steps: Step[]): Plan {
  return {
    kind: 'playbook',
    name: 'bench',
    entry: [steps[0]!.name],
    failure: 'route',
    workload: {},
    keychain: [],
    steps,
    blocks: {},
    where: {},
  };
}

export function chain(length: number, kind = 'noop'): Plan {
  return planOf(
    Array.from({ length }, (_, index) =>
      step(`s${index}`, index + 1 < length ? `s${index + 1}` : undefined, kind),
    ),
  );
}

export function fanOut(total: number, limit: number): Plan {
  const wide = step('wide', 'join');
  wide.loop = {
    in: `{{ range(${total}) }}`,
    iterator: 'n',
    mode: 'parallel',
    maxInFlight: limit,
    exec: 'distributed',
    failure: 'fail_fast',
  };
  return planOf([wide, step('join')]);
}
