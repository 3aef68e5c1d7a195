/**
 * Loops: starting one, keeping its slots full, and ending it.
 * Everything derives from the loop's state: positions and counts are not kept anywhere else.
 */
import { Range } from '@woof/expr';
import type { Env } from './command.ts';
import { type Event, jobEvent, newEvent } from './event.ts';
import { iterationOf, loopSpec } from './iteration.ts';
import type { Json, JsonObject } from './json.ts';
import { encodeJson, isObject } from './json.ts';
import { hasLoopRoom, jobRoom } from './limits.ts';
import { storedItems } from './loop-items.ts';
import { isCollected, pageDue } from './loop-results.ts';
import { storedError } from './outcome.ts';
import type { TaskError } from './pipeline.ts';
import type { Loop } from './plan.ts';
import { isReference, type Reference } from './reference.ts';
import { RenderError, renderItems, renderValue, type Site } from './render.ts';
import { type Iteration, StepScope } from './scope.ts';
import { type LoopState, loopOf, runOf, type State } from './state.ts';

/** Limit for results that cannot be stored yet because an earlier iteration is still running. */
const MOST_HELD_BYTES = 8 * 1024 * 1024;
/** A batch limits what one turn adds to the log. */
const FILL_BATCH = 512;

/** `loop.started`, or why the loop cannot start. */
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
    const items = toItems(renderItems(spec.in, site, '/in'), env);
    if (items instanceof Error) return unloadable(`${site.path}/in`, spec.in, items);
    const total = lengthOf(items, env);
    if (total === undefined) return schemaError(`${site.path}/in`, 'a list', items as Json);
    const limit = maxInFlight(spec, site);
    if (typeof limit !== 'number') return limit;
    const about = { step: at.step, step_run_id: at.run, iteration_id: at.iterationId };
    const data = {
      depth: at.depth,
      total,
      max_in_flight: limit,
      items: storedItems(items as Json[] | Range | Reference, env),
    };
    return newEvent('loop.started', env.now, about, data);
  } catch (error) {
    if (error instanceof RenderError) return error.toError();
    throw error;
  }
}

/** A stored list is not loaded. */
function toItems(value: Json | Range, env: Env): Json | Range | Error {
  if (value instanceof Range) return value;
  const loaded = isReference(value) ? ownItems(value, env) : value;
  if (loaded instanceof Error || isReference(loaded)) return loaded;
  return isObject(loaded) ? Object.entries(loaded).map(([key, item]) => ({ key, value: item })) : loaded;
}

/** A stored value may be missing or damaged: that fails the step, not the turn. */
function ownItems(reference: Reference, env: Env): Json | Error {
  try {
    return env.lengthOf(reference) === undefined ? env.resolve(reference) : reference;
  } catch (error) {
    return error as Error;
  }
}

function unloadable(path: string, items: Json, error: Error): TaskError {
  const shown = typeof items === 'string' ? items : 'the list';
  const message = `${path}: "${shown}" cannot be loaded: ${error.message}`;
  return { kind: 'storage', retryable: false, ...storedError(error), message };
}

function lengthOf(items: Json | Range, env: Env): number | undefined {
  if (isReference(items)) return env.lengthOf(items);
  return Array.isArray(items) || items instanceof Range ? items.length : undefined;
}

function maxInFlight(spec: Loop, site: Site): number | TaskError {
  if (spec.mode === 'sequential') return 1;
  const given = renderValue(spec.maxInFlight, site, '/max_in_flight');
  const limit = Number(given);
  return Number.isInteger(limit) && limit > 0
    ? limit
    : schemaError(`${site.path}/max_in_flight`, 'a whole number above 0', given);
}

function schemaError(path: string, expected: string, got: Json): TaskError {
  const shown = encodeJson(got)?.slice(0, 80);
  return { kind: 'schema', retryable: false, message: `expected ${path} to be ${expected}, got ${shown}` };
}

/** What follows from the state of a loop: its end, its failure, or more iterations. Empty: it waits. */
export function advanceLoop(state: State, env: Env, id: string): Event[] | 'no_room' {
  const loop = loopOf(state, id);
  const { step } = runOf(state, loop.run);
  const spec = loopSpec(state, step, loop.depth);
  if (loop.failed > 0 && spec.failure === 'fail_fast') return failLoop(loop, step, env, firstError(loop));
  const due = pageDue(loop, env.page);
  if (due > 0) return [storeResults(loop, step, env, due)];
  if (loop.next < loop.total) return fillLoop(state, env, loop, step, spec);
  if (loop.active.size > 0 || isCollected(loop)) return [];
  if (loop.stored.count > 0) return [storeResults(loop, step, env, loop.results.length)];
  return endLoop(loop, step, env, env.offload({ results: loop.results, ...loopSummary(loop) }));
}

function fillLoop(state: State, env: Env, loop: LoopState, step: string, spec: Loop): Event[] | 'no_room' {
  const { limits } = env;
  const running = loop.next - loop.oldest;
  const wanted = Math.min(
    loop.maxInFlight - loop.active.size,
    loop.total - loop.next,
    Math.max(1, limits.iterations) - running,
    FILL_BATCH,
  );
  // Large results accumulate behind a slow iteration, so start no more of them for now.
  if (wanted <= 0 || (loop.bytes > MOST_HELD_BYTES && loop.active.size > 0)) return [];
  if (jobRoom(state, limits) <= 0 || (spec.inner && !hasLoopRoom(state, limits, spec.inner, loop.depth + 1)))
    return 'no_room';
  if (spec.inner) return startInner(state, env, loop, step);
  const events: Event[] = [];
  const free = Math.min(wanted, jobRoom(state, limits));
  for (let index = loop.next; index < loop.next + free; index++)
    events.push(
      jobEvent('loop.iteration.started', env.now, iterationJob(loop, step, index), undefined, { index }),
    );
  return events;
}

/** One at a time: its own iterations come first and take what they can of the room. */
function startInner(state: State, env: Env, loop: LoopState, step: string): Event[] {
  const index = loop.next;
  const job = iterationJob(loop, step, index);
  const iteration = iterationOf(state, env, step, loop, index);
  const { args } = runOf(state, loop.run);
  const at = { step, run: loop.run, args, depth: loop.depth + 1, iteration, iterationId: job.id };
  const begun = jobEvent('loop.iteration.started', env.now, job, undefined, { index });
  const started = startLoop(state, env, at);
  if ('name' in started) return [begun, started];
  return [begun, jobEvent('loop.iteration.failed', env.now, job, undefined, { index, error: started })];
}

const iterationJob = ({ id, run }: LoopState, step: string, index: number) => ({
  id: `${id}/${index}`,
  run,
  step,
  loop: id,
});

function storeResults(loop: LoopState, step: string, env: Env, count: number): Event {
  const page = env.putAway(loop.results.slice(0, count));
  return newEvent('loop.results.stored', env.now, aboutLoop(loop, step), { count, page });
}

function aboutLoop({ id, run, depth }: LoopState, step: string) {
  return { step, step_run_id: run, iteration_id: depth === 0 ? undefined : id };
}

/** What a loop's result contains besides the results themselves. */
export function loopSummary(loop: LoopState): JsonObject {
  const stats = statsOf(loop);
  return loop.errors.length > 0 ? { stats, errors: loop.errors as unknown as Json } : { stats };
}

const statsOf = ({ total, succeeded, failed }: LoopState) => ({ total, succeeded, failed });

export function endLoop(loop: LoopState, step: string, env: Env, result: Json): Event[] {
  const stats = statsOf(loop);
  const about = aboutLoop(loop, step);
  if (loop.depth === 0) return [newEvent('loop.done', env.now, about, { result, stats })];
  return [
    newEvent('loop.done', env.now, about, { stats }),
    newEvent('loop.iteration.done', env.now, about, { index: indexIn(loop.id), result }),
  ];
}

function firstError(loop: LoopState): TaskError {
  const { index, error } = loop.errors[0]!;
  return { ...error, message: `iteration ${index + 1} of ${loop.total} failed: ${error.message}` };
}

export function failLoop(loop: LoopState, step: string, env: Env, error: TaskError): Event[] {
  const about = aboutLoop(loop, step);
  if (loop.depth === 0) return [newEvent('step.failed', env.now, about, { error, stats: statsOf(loop) })];
  const data = { index: indexIn(loop.id), error };
  return [newEvent('loop.iteration.failed', env.now, about, data)];
}

function indexIn(iterationId: string): number {
  return Number(iterationId.slice(iterationId.lastIndexOf('/') + 1));
}
