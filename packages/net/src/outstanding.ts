/** What an execution needs from outside, derived from its state alone. */

import { homeWorker } from './home-worker.ts';
import { isCollected } from './loop-results.ts';
import type { Step } from './plan.ts';
import { indexOf } from './plan-index.ts';
import { isEnded, jobOf, type State } from './state.ts';

export interface Outstanding {
  /** Parked jobs that a timer wakes. */
  timers: { job_id: string; until: number }[];
  /** Parked jobs that the end of another execution wakes. */
  children: { job_id: string; child: string }[];
  /** Loops whose results must become one value. */
  collected: { loop_id: string }[];
}

export function outstanding(state: State): Outstanding {
  if (isEnded(state)) return { timers: [], children: [], collected: [] };
  const parked = [...state.jobs.values()].filter((job) => job.status === 'parked');
  return {
    timers: parked.flatMap((job) => (job.until === null ? [] : [{ job_id: job.id, until: job.until }])),
    children: parked.flatMap((job) => (job.child === null ? [] : [{ job_id: job.id, child: job.child }])),
    collected: [...state.loops.values()].filter(isCollected).map((loop) => ({ loop_id: loop.id })),
  };
}

/**
 * The job that a worker may take now: the oldest, or the one of the lowest rank if the plan limits its concurrency.
 * `canRun` says whether there is a worker for a step, or whether the worker that must take the job can; it is called
 * once for each.
 */
export function nextReady(
  state: State,
  canRun: (step: Step, home: string | undefined) => boolean = () => true,
): string | undefined {
  if (state.status !== 'running') return undefined;
  const index = indexOf(state.plan);
  if (state.plan.concurrency !== undefined) {
    const jobId = nextInOrder(state, state.plan.concurrency);
    if (jobId === undefined) return undefined;
    const job = jobOf(state, jobId);
    return canRun(index.step(job.step), homeWorker(state, job)) ? jobId : undefined;
  }
  let without: Set<string> | undefined;
  for (const jobId of state.ready) {
    const job = jobOf(state, jobId);
    const home = homeWorker(state, job);
    const asked = home === undefined ? job.step : `${job.step}\n${home}`;
    if (without?.has(asked)) continue;
    if (canRun(index.step(job.step), home)) return jobId;
    without ??= new Set();
    without.add(asked);
  }
  return undefined;
}

function nextInOrder(state: State, concurrency: number): string | undefined {
  let leased = 0;
  for (const job of state.jobs.values()) if (job.status !== 'ready') leased += 1;
  if (leased >= concurrency) return undefined;
  const index = indexOf(state.plan);
  const rankOf = (jobId: string) => index.step(jobOf(state, jobId).step).rank ?? 0;
  return [...state.ready].sort((a, b) => rankOf(a) - rankOf(b))[0];
}
