/**
 * advance(state): the firing rule of the net. It gives the next consequence of where things stand, or none.
 * It strikes from the agenda what has no consequence; it changes nothing else.
 */
import type { Env } from './command.ts';
import { type Event, jobEvent, newEvent } from './event.ts';
import { advanceLoop } from './loops.ts';
import { finish, route } from './routing.ts';
import { isEnded, jobOf, type State, type Token } from './state.ts';
import { admit, joinTokens } from './tokens.ts';

export function advance(state: State, env: Env): Event[] {
  if (isEnded(state) || state.seq === 0) return [];
  const { agenda } = state;
  for (const id of agenda.jobs) return endJob(state, env, id);
  for (const id of agenda.loops) {
    const events = state.loops.has(id) ? advanceLoop(state, env, id) : [];
    if (events.length > 0) return events;
    agenda.loops.delete(id);
  }
  for (const id of agenda.runs) return route(state, env, id);
  for (const id of agenda.tokens) return admit(state, env, [state.tokens.get(id)!]);
  for (const step of agenda.joins) {
    const tokens = joinTokens(state, step);
    if (tokens) return admit(state, env, tokens);
    agenda.joins.delete(step);
  }
  if (state.runs.size > 0) return needsHuman(state, env);
  return state.tokens.size === 0 ? complete(state, env) : releaseJoin(state, env);
}

/** Nothing can go on before a person answers. */
function needsHuman(state: State, env: Env): Event[] {
  if (state.humans === 0 || state.humans < state.jobs.size || state.status !== 'running') return [];
  const steps = [...new Set([...state.jobs.values()].map((job) => job.step))];
  return [newEvent('execution.needs_human', env.now, {}, { steps })];
}

/** Only joins wait, and for each other: none of them can get more, so the first goes on with what it has. */
function releaseJoin(state: State, env: Env): Event[] {
  const [first] = state.waiting;
  if (first === undefined) return [];
  const byArc = new Map<string, Token>();
  for (const id of first[1].toReversed()) {
    const token = state.tokens.get(id)!;
    byArc.set(token.arc ?? '', token);
  }
  return admit(state, env, [...byArc.values()].toReversed());
}

function endJob(state: State, env: Env, id: string): Event[] {
  const job = jobOf(state, id);
  const { pipeline } = job;
  const { index } = job;
  const fence = job.fence > 0 ? job.fence : undefined;
  if (pipeline.status === 'failed') {
    const error = pipeline.error as never;
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
      return finish(env, { status: 'failed', error: { ...summary.error, step: name } as never });
    }
  }
  const last = state.lastDone === undefined ? undefined : state.steps.get(state.lastDone);
  return finish(env, { status: 'succeeded', result: last?.result ?? null });
}
