/** What is derived from a plan once: steps by name, incoming arcs, and which steps can still reach a join. */
import type { Plan, Step } from './plan.ts';

export interface PlanIndex {
  step(name: string): Step;
  has(name: string): boolean;
  /** Arc keys `<step>#<index>` that lead to a step. */
  incoming(name: string): readonly string[];
  /** Steps from which a token could still arrive over this arc without passing through the join itself. */
  feeders(join: string, arc: string): ReadonlySet<string>;
  descendants(name: string): ReadonlySet<string>;
}

const indexes = new WeakMap<Plan, PlanIndex>();

export function indexOf(plan: Plan): PlanIndex {
  let index = indexes.get(plan);
  if (index === undefined) {
    index = build(plan);
    indexes.set(plan, index);
  }
  return index;
}

export const arcKey = (step: string, index: number): string => `${step}#${index}`;

export const arcSource = (key: string): string => key.slice(0, key.lastIndexOf('#'));

function build(plan: Plan): PlanIndex {
  const steps = new Map(plan.steps.map((step) => [step.name, step]));
  const incoming = new Map<string, string[]>();
  const before = new Map<string, string[]>();
  for (const step of plan.steps) {
    step.next.arcs.forEach((arc, index) => {
      listAt(incoming, arc.step).push(arcKey(step.name, index));
      listAt(before, arc.step).push(step.name);
    });
  }
  const after = (name: string): string[] => steps.get(name)?.next.arcs.map((arc) => arc.step) ?? [];
  const feederSets = new Map<string, ReadonlySet<string>>();
  const descendantSets = new Map<string, ReadonlySet<string>>();
  return {
    has: (name) => steps.has(name),
    step: (name) => {
      const step = steps.get(name);
      if (step === undefined) throw new Error(`the plan has no step "${name}"`);
      return step;
    },
    incoming: (name) => incoming.get(name) ?? [],
    feeders: (join, arc) =>
      remember(feederSets, arc, () => closure(arcSource(arc), (name) => before.get(name) ?? [], join)),
    descendants: (name) =>
      remember(descendantSets, name, () => {
        const reached = new Set<string>();
        for (const child of after(name)) for (const step of closure(child, after)) reached.add(step);
        return reached;
      }),
  };
}

/** Everything reachable from `from` along `edges`, including itself, without passing through `barrier`. */
function closure(from: string, edges: (name: string) => string[], barrier?: string): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === barrier || reached.has(name)) continue;
    reached.add(name);
    open.push(...edges(name));
  }
  return reached;
}

function listAt(map: Map<string, string[]>, key: string): string[] {
  let list = map.get(key);
  if (list === undefined) {
    list = [];
    map.set(key, list);
  }
  return list;
}

function remember<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
