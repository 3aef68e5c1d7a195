/** What an execution needs from outside, read off its state alone. */
import { indexOf } from './plan-index.ts';
import { isEnded, jobOf, type State } from './state.ts';

export interface Outstanding {
  /** Parked jobs that a clock wakes. */
  timers: { job_id: string; until: number }[];
  /** Parked jobs that another execution's end wakes. */
  children: { job_id: string; child: string }[];
}

export function outstanding(state: State): Outstanding {
  if (isEnded(state)) return { timers: [], children: [] };
  const parked = [...state.jobs.values()].filter((job) => job.status === 'parked');
  return {
    timers: parked.flatMap((job) => (job.until === null ? [] : [{ job_id: job.id, until: job.until }])),
    children: parked.flatMap((job) => (job.child === null ? [] : [{ job_id: job.id, child: job.child }])),
  };
}

/** The job that a worker may take now: the oldest, or that of the lowest rank where the plan bounds its concurrency. */
export function nextReady(state: State): string | undefined {
  if (state.status !== 'running') return undefined;
  if (state.plan.concurrency !== undefined) return nextInOrder(state, state.plan.concurrency);
  for (const jobId of state.ready) return jobId;
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
