/** What an execution needs from outside, and why it stands where it stands; both read off the state alone. */
import { arcSource, indexOf } from './plan-index.ts';
import { isEnded, type Job, jobOf, type State } from './state.ts';
import { canStillCome } from './tokens.ts';

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

export interface Reason {
  step: string;
  id: string;
  reason: string;
}

const LISTED_JOBS = 20;

/** One line for each thing that an execution waits for. */
export function explain(state: State): Reason[] {
  if (isEnded(state)) return endReasons(state);
  const reasons: Reason[] = [];
  if (state.status === 'paused') reasons.push({ step: '', id: '', reason: 'the execution is paused' });
  for (const step of state.waiting.keys()) {
    const missing = indexOf(state.plan)
      .incoming(step)
      .filter((arc) => !state.waiting.get(step)?.some((id) => state.tokens.get(id)?.arc === arc))
      .filter((arc) => canStillCome(state, step, arc))
      .map((arc) => `"${arcSource(arc)}"`);
    reasons.push({ step, id: step, reason: `waits for a token from ${missing.join(', ')}` });
  }
  const jobs = [...state.jobs.values()];
  for (const job of jobs.slice(0, LISTED_JOBS))
    reasons.push({ step: job.step, id: job.id, reason: jobReason(state, job) });
  if (jobs.length > LISTED_JOBS) {
    reasons.push({ step: '', id: '', reason: `and ${jobs.length - LISTED_JOBS} more jobs` });
  }
  return reasons;
}

function jobReason(state: State, job: Job): string {
  const { tasks } = indexOf(state.plan).step(job.step);
  const task = `task "${tasks[job.pipeline.pc]?.label}"`;
  const tries = job.pipeline.attempt > 0 ? `, attempt ${job.pipeline.attempt + 1}` : '';
  if (job.status === 'leased') return `worker ${job.worker} runs ${task}${tries}`;
  if (job.child) return `${task} waits for execution ${job.child}`;
  if (job.until) return `${task}${tries} waits until ${new Date(job.until).toISOString()}`;
  return `${task}${tries} waits for a worker`;
}

function endReasons(state: State): Reason[] {
  const reasons: Reason[] = [];
  if (state.error) reasons.push({ step: state.error.step ?? '', id: '', reason: state.error.message });
  for (const [step, summary] of state.steps) {
    if (summary.because) reasons.push({ step, id: step, reason: `${summary.status}: ${summary.because}` });
    else if (summary.status === 'failed' && step !== state.error?.step) {
      reasons.push({ step, id: step, reason: `failed: ${summary.error?.message}` });
    }
  }
  for (const { name } of state.plan.steps) {
    if (!state.steps.has(name)) reasons.push({ step: name, id: name, reason: 'skipped: no arc led to it' });
  }
  return reasons;
}
