/**
 * Loops: starting one, keeping its slots full, and ending it.
 * All of it derives from the loop's state: positions and counts are never kept anywhere else.
 */
import type { Env } from './command.ts';
import { type Event, jobEvent, newEvent } from './event.ts';
import { iterationOf, loopSpec } from './iteration.ts';
import type { Json, JsonObject } from './json.ts';
import { isObject } from './json.ts';
import { isReference, type Reference } from './outcome.ts';
import type { TaskError } from './pipeline.ts';
import type { Loop } from './plan.ts';
import { RenderError, render, type Site } from './render.ts';
import { type Iteration, StepScope } from './scope.ts';
import { type LoopState, loopOf, runOf, type State } from './state.ts';

/** A batch bounds what one turn adds to the log. */
const FILL_BATCH = 512;

/** `loop.started`, or why it cannot start. */
export function startLoop(
  state: State,
  env: Env,
  at: {
    step: string;
    run: string;
    args: JsonObject;
    depth: number;
    iteration?: Iteration;
    iterationId?: string;
  },
): Event | TaskError {
  const spec = loopSpec(state, at.step, at.depth);
  const inner = '/inner'.repeat(at.depth);
  const locals = {
    args: at.args,
    ...(at.iteration ? { iteration: at.iteration } : {}),
    ...(state.iter ? { callerIter: state.iter } : {}),
  };
  const site: Site = {
    plan: state.plan,
    scope: new StepScope(state, locals),
    host: env.host,
    path: `${at.step}/loop${inner}`,
  };
  try {
    const items = toItems(render(spec.in, site, '/in'), env);
    if (items instanceof Error)
      return { kind: 'storage', retryable: false, message: `${site.path}/in: ${items.message}` };
    if (!Array.isArray(items)) return schemaError(`${site.path}/in`, 'a list', items);
    const limit = maxInFlight(spec, site);
    if (typeof limit !== 'number') return limit;
    const about = { step: at.step, step_run_id: at.run, iteration_id: at.iterationId };
    const data = { depth: at.depth, total: items.length, max_in_flight: limit, items: env.offload(items) };
    return newEvent('loop.started', env.now, about, data);
  } catch (error) {
    if (error instanceof RenderError) return error.toError();
    throw error;
  }
}

function toItems(value: Json, env: Env): Json | Error {
  const loaded = isReference(value) ? resolved(value, env) : value;
  if (loaded instanceof Error) return loaded;
  return isObject(loaded) ? Object.entries(loaded).map(([key, item]) => ({ key, value: item })) : loaded;
}

/** A stored value may be gone or damaged: that is the step's failure, not the turn's. */
function resolved(reference: Reference, env: Env): Json | Error {
  try {
    return env.resolve(reference);
  } catch (error) {
    return error as Error;
  }
}

function maxInFlight(spec: Loop, site: Site): number | TaskError {
  if (spec.mode === 'sequential') return 1;
  const limit = Number(render(spec.maxInFlight, site, '/max_in_flight'));
  return Number.isInteger(limit) && limit > 0
    ? limit
    : schemaError(`${site.path}/max_in_flight`, 'a whole number above 0', spec.maxInFlight);
}

function schemaError(path: string, expected: string, got: Json): TaskError {
  const shown = JSON.stringify(got)?.slice(0, 80);
  return { kind: 'schema', retryable: false, message: `expected ${path} to be ${expected}, got ${shown}` };
}

/** What follows from where a loop stands: its end, its failure, or further iterations. None: it waits. */
export function advanceLoop(state: State, env: Env, id: string): Event[] {
  const loop = loopOf(state, id);
  const { step } = runOf(state, loop.run);
  const spec = loopSpec(state, step, loop.depth);
  if (loop.failed > 0 && spec.failure === 'fail_fast') return failLoop(loop, step, env);
  if (loop.next >= loop.total) return loop.active.size === 0 ? endLoop(loop, step, env) : [];
  return fillLoop(state, env, loop, step, spec);
}

function fillLoop(state: State, env: Env, loop: LoopState, step: string, spec: Loop): Event[] {
  const free = Math.min(loop.maxInFlight - loop.active.size, loop.total - loop.next, FILL_BATCH);
  const events: Event[] = [];
  for (let index = loop.next; index < loop.next + free; index++) {
    const iterationId = `${loop.id}/${index}`;
    const job = { id: iterationId, run: loop.run, step, loop: loop.id };
    events.push(jobEvent('loop.iteration.started', env.now, job, undefined, { index }));
    if (spec.inner === undefined) continue;
    const iteration = iterationOf(state, env, step, loop, index);
    const { args } = runOf(state, loop.run);
    const started = startLoop(state, env, {
      step,
      run: loop.run,
      args,
      depth: loop.depth + 1,
      iteration,
      iterationId,
    });
    if ('name' in started) events.push(started);
    else
      events.push(
        jobEvent('loop.iteration.failed', env.now, job, undefined, { index, error: started as never }),
      );
  }
  return events;
}

function endLoop(loop: LoopState, step: string, env: Env): Event[] {
  const stats = { total: loop.total, succeeded: loop.succeeded, failed: loop.failed };
  const errors = loop.errors.length > 0 ? { errors: loop.errors as unknown as Json } : {};
  const result = env.offload({ results: loop.results, stats, ...errors });
  const about = { step, step_run_id: loop.run };
  if (loop.depth === 0) return [newEvent('loop.done', env.now, about, { result, stats })];
  const iteration = { ...about, iteration_id: loop.id };
  return [
    newEvent('loop.done', env.now, iteration, { stats }),
    newEvent('loop.iteration.done', env.now, iteration, { index: indexIn(loop.id), result }),
  ];
}

function failLoop(loop: LoopState, step: string, env: Env): Event[] {
  const first = loop.errors[0]!;
  const message = `iteration ${first.index} of ${loop.total} failed: ${first.error.message}`;
  const error = { ...first.error, message } as TaskError;
  const stats = { total: loop.total, succeeded: loop.succeeded, failed: loop.failed };
  const about = { step, step_run_id: loop.run };
  if (loop.depth === 0) return [newEvent('step.failed', env.now, about, { error: error as never, stats })];
  const data = { index: indexIn(loop.id), error: error as never };
  return [newEvent('loop.iteration.failed', env.now, { ...about, iteration_id: loop.id }, data)];
}

function indexIn(iterationId: string): number {
  return Number(iterationId.slice(iterationId.lastIndexOf('/') + 1));
}
