/** The iterations around a job or an inner loop, as templates see them. */
import type { Env } from './command.ts';
import { itemAt } from './loop-items.ts';
import type { Loop } from './plan.ts';
import { indexOf } from './plan-index.ts';
import type { Iteration } from './scope.ts';
import type { Job, LoopState, State } from './state.ts';

export function loopSpec(state: State, step: string, depth: number): Loop {
  let spec = indexOf(state.plan).step(step).loop;
  for (let level = 0; level < depth; level++) spec = spec?.inner;
  if (spec === undefined) throw new Error(`step "${step}" has no loop at depth ${depth}`);
  return spec;
}

export function iterationOf(
  state: State,
  env: Pick<Env, 'itemOf'>,
  step: string,
  loop: LoopState,
  index: number,
): Iteration {
  const { iterator } = loopSpec(state, step, loop.depth);
  const iteration: Iteration = {
    iterator,
    item: itemAt(loop.items, index, env),
    index,
    length: loop.total,
  };
  const outer = loop.depth > 0 ? state.loops.get(loop.id.slice(0, loop.id.lastIndexOf('/'))) : undefined;
  if (outer)
    iteration.parent = iterationOf(
      state,
      env,
      step,
      outer,
      Number(loop.id.slice(loop.id.lastIndexOf('/') + 1)),
    );
  return iteration;
}

export function jobIteration(state: State, env: Pick<Env, 'itemOf'>, job: Job): Iteration | undefined {
  const loop = job.loop === null ? undefined : state.loops.get(job.loop);
  return loop && iterationOf(state, env, job.step, loop, job.index);
}

/** The loop at this depth that contains a job. */
export function loopIdAt(state: State, job: Job, depth: number): string {
  let id = job.loop ?? '';
  for (let loop = state.loops.get(id); loop && loop.depth > depth; loop = state.loops.get(id)) {
    id = id.slice(0, id.lastIndexOf('/'));
  }
  return id;
}
