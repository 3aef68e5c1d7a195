import { arcSource, indexOf, type JsonObject, naming, type Outcome, settled } from '@woof/net';
import type { Parked } from '@woof/tools';
import { callTool } from './call-tool.ts';
import type { Performance } from './performance.ts';
import { withGiven } from './with-given.ts';
import { withValues } from './with-values.ts';

/**
 * A block's program, arguments and environment are not templates either. The block receives the results of its
 * predecessors.
 */
export async function performExec(performance: Performance): Promise<Outcome | Parked> {
  const { task, port } = performance;
  const upstream = await withValues(port, () => upstreamOf(performance));
  return callTool(performance, withGiven(task.input, performance.given), task.spec, upstream);
}

function upstreamOf({ assignment, world, port }: Performance): JsonObject {
  const { plan, step } = assignment;
  const before = new Set(indexOf(plan).incoming(step.name).map(arcSource));
  const results = [...before].flatMap((name) => {
    const result = world.steps.get(name)?.result;
    if (result === undefined) return [];
    const load = naming(`the result of "${name}"`, (reference) => port.host.load?.(reference));
    return [[name, settled(result, load)] as const];
  });
  return Object.fromEntries(results);
}
