/**
 * advance(state): the firing rule of the net. It returns the next consequence of the current state, or none. It removes
 * entries without a consequence from the agenda and changes nothing else.
 */
import type { Env } from './command.ts';
import { type Event, jobEvent, newEvent } from './event.ts';
import { gatheringAt } from './join-modes.ts';
import { hasLoopRoom, jobRoom, overLimit } from './limits.ts';
import { isCollected } from './loop-results.ts';
import { advanceLoop } from './loops.ts';
import { indexOf } from './plan-index.ts';
import { endExecution, finish, route } from './routing.ts';
import { isEnded, jobOf, type State } from './state.ts';
import { admit } from './tokens.ts';

export function advance(state: State, env: Env): Event[] {
  if (isEnded(state) || state.seq === 0) return [];
  const over = overLimit(state, env.limits);
  if (over) return endExecution(state, env, 'failed', over);
  const { agenda } = state;
  for (const id of agenda.jobs) return endJob(state, env, id);
  const more = advanceLoops(state, env);
  if (more.length > 0) return more;
  for (const id of agenda.runs) return route(state, env, id);
  const admitted = jobRoom(state, env.limits) > 0 ? admitNext(state, env) : [];
  if (admitted.length > 0) return admitted;
  if (state.runs.size > 0) return needsHuman(state, env);
  return state.tokens.size === 0 ? complete(state, env) : releaseJoin(state, env);
}

function advanceLoops(state: State, env: Env): Event[] {
  const { loops, crowded } = state.agenda;
  for (const id of loops) {
    const events = state.loops.has(id) ? advanceLoop(state, env, id) : [];
    if (events === 'no_room') crowded.add(id);
    else if (events.length > 0) return events;
    loops.delete(id);
  }
  if (jobRoom(state, env.limits) <= 0) return [];
  for (const id of crowded) {
    const events = advanceLoop(state, env, id);
    // This loop lacks room for an inner loop; another one may need room only for a job.
    if (events === 'no_room') continue;
    crowded.delete(id);
    loops.add(id);
    if (events.length > 0) return events;
  }
  return [];
}

/** A token that finds no room stays on the agenda. */
function admitNext(state: State, env: Env): Event[] {
  const { tokens, joins } = state.agenda;
  for (const id of tokens) {
    const token = state.tokens.get(id)!;
    if (hasRoomFor(state, env, token.step)) return admit(state, env, [token]);
  }
  for (const step of joins) {
    const joined = gatheringAt(state, step).takes(state, step);
    if (joined === undefined) joins.delete(step);
    else if (hasRoomFor(state, env, step)) return admit(state, env, joined);
  }
  return [];
}

function hasRoomFor(state: State, env: Env, step: string): boolean {
  const { loop } = indexOf(state.plan).step(step);
  return loop === undefined || hasLoopRoom(state, env.limits, loop, 0);
}

/** Nothing can continue until a person answers. */
function needsHuman(state: State, env: Env): Event[] {
  if (state.humans === 0 || state.humans < state.jobs.size || state.status !== 'running') return [];
  // The results of a loop are being put together, and the steps after it will run.
  for (const loop of state.loops.values()) if (isCollected(loop)) return [];
  const steps = [...new Set([...state.jobs.values()].map((job) => job.step))];
  return [newEvent('execution.needs_human', env.now, {}, { steps })];
}

/**
 * Only joins are waiting, and only for each other. None can receive more tokens, so the first fires with what it has.
 */
function releaseJoin(state: State, env: Env): Event[] {
  for (const step of state.waiting.keys())
    return admit(state, env, gatheringAt(state, step).takesAtLast(state, step));
  return [];
}

function endJob(state: State, env: Env, id: string): Event[] {
  const job = jobOf(state, id);
  const { pipeline } = job;
  const { index } = job;
  const fence = job.fence > 0 ? job.fence : undefined;
  if (pipeline.status === 'failed') {
    const error = pipeline.error!;
    if (job.loop === null) return [jobEvent('step.failed', env.now, job, fence, { error })];
    return [jobEvent('loop.iteration.failed', env.now, job, fence, { index, error })];
  }
  const result = pipeline.prev;
  if (job.loop === null) return [jobEvent('step.done', env.now, job, fence, { result })];
  return [jobEvent('loop.iteration.done', env.now, job, fence, { index, result })];
}

function complete(state: State, env: Env): Event[] {
  for (const [name, summary] of state.steps) {
    if (summary.status === 'failed' && state.plan.failure === 'skip') {
      return finish(env, { status: 'failed', error: { ...summary.error!, step: name } });
    }
  }
  const last = state.lastDone === undefined ? undefined : state.steps.get(state.lastDone);
  return finish(env, { status: 'succeeded', result: last?.result ?? null });
}
