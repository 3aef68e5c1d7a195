/**
 * The names that a template can see, looked up by reference: nothing is copied, so a large context costs nothing.
 *
 * Lookup order of bare names: pipeline locals, iterators (inner first), task results of this pipeline, args, ctx,
 * results of earlier steps, results of their named tasks, workload.
 */
import type { Scope } from '@woof/expr';
import type { Json, JsonObject } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { StepSummary } from './state.ts';

/**
 * Names with the same meaning everywhere: a step, an iterator or a workload key with such a name cannot be read by it.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `outcome iter _prev workload ctx vars args input results event keychain execution_id _task _attempt job loop _index
   loop_index _first _last`.split(/\s+/),
);

/** The parts of an execution that a template can read. */
export interface World {
  execution_id: string;
  workload: JsonObject;
  ctx: JsonObject;
  steps: { get(name: string): ShownStep | undefined };
  labels: JsonObject;
  keychain?: JsonObject;
}

/** What templates see of a step; nothing if the step never succeeded. */
export type ShownStep = Pick<StepSummary, 'result' | 'tasks'>;

/** One iteration, and through `parent` the iterations around it. */
export interface Iteration {
  iterator: string;
  item: Json;
  index: number;
  length: number;
  parent?: Iteration;
}

export interface Locals {
  args: JsonObject;
  vars?: JsonObject;
  /** The scratchpad of the innermost iteration, or of the step run if there is no loop. */
  iter?: JsonObject;
  iteration?: Iteration;
  /** The calling iteration, in a nested playbook. */
  callerIter?: JsonObject;
  results?: JsonObject;
  prev?: Json;
  task?: string;
  attempt?: number;
  outcome?: Outcome;
  event?: { name: string; step: string; payload: JsonObject };
  loop?: JsonObject;
  jobId?: string;
}

export class StepScope implements Scope {
  constructor(
    private readonly world: World,
    private readonly locals: Locals,
  ) {}

  get(name: string): unknown {
    const local = this.reserved(name);
    if (local !== undefined) return local;
    const iteration = this.iteratorNamed(name);
    if (iteration) return iteration.item;
    const { results, args } = this.locals;
    const { ctx, steps, workload } = this.world;
    if (has(results, name)) return results[name];
    if (has(args, name)) return args[name];
    if (has(ctx, name)) return ctx[name];
    const result = steps.get(name)?.result;
    if (result !== undefined) return result;
    // Read last, because an assignment computes it only on demand.
    const { labels } = this.world;
    return has(labels, name) ? labels[name] : has(workload, name) ? workload[name] : undefined;
  }

  isResult(name: string): boolean {
    const { results, args } = this.locals;
    if (this.reserved(name) !== undefined || this.iteratorNamed(name)) return false;
    if (has(results, name)) return true;
    if (has(args, name) || has(this.world.ctx, name)) return false;
    return this.world.steps.get(name)?.result !== undefined || has(this.world.labels, name);
  }

  tasksOf(name: string): JsonObject | undefined {
    return this.isResult(name) && !has(this.locals.results, name)
      ? this.world.steps.get(name)?.tasks
      : undefined;
  }

  private iteratorNamed(name: string): Iteration | undefined {
    let iteration = this.locals.iteration;
    while (iteration && iteration.iterator !== name) iteration = iteration.parent;
    return iteration;
  }

  private reserved(name: string): unknown {
    const { locals, world } = this;
    switch (name) {
      case 'outcome':
        return locals.outcome && outcomeView(locals.outcome);
      case 'iter':
        return iterView(locals);
      case '_prev':
        return locals.prev;
      case 'workload':
        return world.workload;
      case 'ctx':
        return world.ctx;
      case 'vars':
        return locals.vars ?? {};
      case 'args':
      case 'input':
        return locals.args;
      case 'results':
        return locals.results ?? {};
      case 'event':
        return locals.event;
      case 'keychain':
        return world.keychain ?? {};
      case 'execution_id':
        return world.execution_id;
      case '_task':
        return locals.task;
      case '_attempt':
        return locals.attempt;
      case 'job':
        return { uuid: locals.jobId ? `${world.execution_id}/${locals.jobId}` : world.execution_id };
      case 'loop':
        return locals.loop ?? (locals.iteration && loopView(locals.iteration));
      case '_index':
      case 'loop_index':
        return locals.iteration?.index;
      case '_first':
        return locals.iteration && locals.iteration.index === 0;
      case '_last':
        return locals.iteration && locals.iteration.index === locals.iteration.length - 1;
      default:
        return undefined;
    }
  }
}

/** Everything that a template can read by a bare name, as one map; `steps` are the names of the plan's steps. */
export function namesInSight(world: World, locals: Locals, steps: Iterable<string>): JsonObject {
  const results: JsonObject = {};
  for (const name of steps) {
    const result = world.steps.get(name)?.result;
    if (result !== undefined) results[name] = result;
  }
  const { workload, ctx, labels, execution_id } = world;
  const { args, vars = {}, prev = null } = locals;
  const reserved = { workload, ctx, args, vars, iter: iterView(locals), _prev: prev, execution_id };
  const item = locals.iteration ? itemsOf(locals.iteration) : {};
  return { ...workload, ...labels, ...results, ...ctx, ...args, ...locals.results, ...item, ...reserved };
}

function itemsOf({ iterator, item, parent }: Iteration): JsonObject {
  return { ...(parent ? itemsOf(parent) : {}), [iterator]: item };
}

function has(holder: JsonObject | undefined, name: string): holder is JsonObject {
  return holder !== undefined && Object.hasOwn(holder, name);
}

/** `iter` as templates see it: the scratchpad over index, the item under its name, and `parent`. */
export function iterView(locals: Pick<Locals, 'iter' | 'iteration' | 'callerIter'>): JsonObject {
  const { iteration, iter, callerIter } = locals;
  if (iteration === undefined) return callerIter ? { ...callerIter, ...iter } : { index: 0, ...iter };
  return { ...iterationView(iteration, callerIter), ...iter };
}

function iterationView(iteration: Iteration, callerIter: JsonObject | undefined): JsonObject {
  const view: JsonObject = { index: iteration.index, [iteration.iterator]: iteration.item };
  const parent = iteration.parent ? iterationView(iteration.parent, callerIter) : callerIter;
  if (parent) view.parent = parent;
  return view;
}

/** A rule may read a field that an outcome does not have: it is null. */
function outcomeView(outcome: Outcome): { [key in keyof Outcome]: Outcome[key] | null } {
  return { result: null, error: null, ...outcome };
}

function loopView(iteration: Iteration): JsonObject {
  const last = iteration.index === iteration.length - 1;
  return {
    index: iteration.index,
    first: iteration.index === 0,
    last,
    length: iteration.length,
    done: false,
  };
}
