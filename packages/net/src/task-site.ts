/**
 * Where the templates of a task are evaluated. The worker that performs a task and the code that later shows the task's
 * input share this, so that both see the same names.
 */
import type { Assignment } from './assignment.ts';
import type { JsonObject } from './json.ts';
import type { Pipeline } from './pipeline.ts';
import type { Task } from './plan.ts';
import type { Site } from './render.ts';
import { type Locals, StepScope, type World } from './scope.ts';
import { argsOfIteration } from './step-args.ts';

export function taskLocals(
  { iteration, callerIter, job_id: jobId }: Pick<Assignment, 'iteration' | 'callerIter' | 'job_id'>,
  { vars, iter, results, prev, attempt }: Pipeline,
  args: JsonObject,
  task: Task,
): Locals {
  const locals: Locals = { args, vars, iter, results, prev, task: task.label, attempt: attempt + 1, jobId };
  if (iteration) locals.iteration = iteration;
  if (callerIter) locals.callerIter = callerIter;
  return locals;
}

export function taskSite(
  { plan, step }: Pick<Assignment, 'plan' | 'step'>,
  world: World,
  locals: Locals,
  task: Task,
  host: Site['host'],
): Site {
  return { plan, scope: new StepScope(world, locals), host, path: `${step.name}/tool/${task.label}` };
}

/**
 * The step's own args may read the iteration, so each iteration has its own. Undefined: the args of the assignment are
 * complete.
 */
export function ownArgs(
  { plan, step, iteration, callerIter, args, world }: Assignment,
  host: Site['host'],
): JsonObject | undefined {
  if (step.args === undefined || iteration === undefined) return undefined;
  const locals: Locals = { args, iteration, ...(callerIter ? { callerIter } : {}) };
  const site: Site = { plan, scope: new StepScope(world, locals), host, path: step.name };
  return { ...args, ...argsOfIteration(step, site) };
}
