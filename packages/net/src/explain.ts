/** Why an execution is where it is, derived from its state alone: what `woof why` prints. */
import { APPROVAL_IS_NEEDED, WAITING_FOR_APPROVAL, WAITS_FOR_APPROVAL } from './approval-words.ts';
import { gatheringAt } from './join-modes.ts';
import { arcSource, indexOf } from './plan-index.ts';
import { isEnded, type Job, type State } from './state.ts';

/**
 * What a reason is about, for programs; its wording is for people and may change. First the statuses of steps, then
 * what else a run waits for. A `note` only adds to the others.
 */
export const REASON_KINDS = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'needs_human',
  'cancelled',
  'worker',
  'child',
  'timer',
  'paused',
  'driver',
  'note',
] as const;

export interface Reason {
  step: string;
  id: string;
  kind: (typeof REASON_KINDS)[number];
  reason: string;
}

/** What a person is asked, and where the answer goes: to this execution, or to one that it called. */
export interface Question {
  execution_id: string;
  /** The step, or the job if several jobs of the step are waiting. */
  step: string;
  reason: string;
  needs_override?: true;
  /** Who may answer; anybody if absent. */
  approvers?: string[];
}

export function questionsOf(state: State): Question[] {
  const waiting = [...state.jobs.values()].filter((job) => job.human);
  return waiting.flatMap((job) => {
    if (Array.isArray(job.human?.asks)) return job.human.asks as unknown as Question[];
    const isOne = waiting.every((other) => other === job || other.step !== job.step);
    const { reason = APPROVAL_IS_NEEDED, needs_override } = job.human ?? {};
    const step = isOne ? job.step : job.id;
    const approvers = approversOf(job);
    const question: Question = { execution_id: state.execution_id, step, reason: String(reason) };
    return {
      ...question,
      ...(needs_override === true ? { needs_override } : {}),
      ...(approvers ? { approvers } : {}),
    };
  });
}

export function approversOf({ human }: Job): string[] | undefined {
  return Array.isArray(human?.approvers) ? human.approvers.map(String) : undefined;
}

/**
 * The questions that an answer to this step answers. A step that waits for a nested run stands for that run's
 * questions.
 */
export function questionsAt(state: State, step: string): Question[] {
  const isAt = (job: Job) => job.step === step || job.id === step;
  const jobs = new Map([...state.jobs].filter(([, job]) => isAt(job)));
  return questionsOf({ ...state, jobs });
}

/** Why a step cannot be approved or rejected. */
export function notWaiting(state: State, step: string): string {
  const waiting = questionsOf(state).map(({ execution_id, step: name }) =>
    execution_id === state.execution_id ? `"${name}"` : `"${name}" of the nested run ${execution_id}`,
  );
  const others = waiting.length > 0 ? `these are: ${waiting.join(', ')}` : 'no step of this run is';
  return `step "${step}" is not ${WAITING_FOR_APPROVAL}; ${others}`;
}

/** Why this person cannot approve or reject a step. */
export function mayNotAnswer(state: State, step: string, by = 'an unnamed person'): string {
  const [question] = questionsAt(state, step);
  return `${by} may not answer "${step}"; ${whoMustAnswer(question?.approvers ?? [])}`;
}

export function whoMustAnswer(approvers: readonly string[]): string {
  return `${approvers.length > 1 ? 'one of ' : ''}${approvers.join(', ')} must answer`;
}

const LISTED_JOBS = 20;

/** One line for each thing that an execution waits for. */
export function explain(state: State): Reason[] {
  if (isEnded(state)) return endReasons(state);
  const reasons: Reason[] = [];
  if (state.status === 'paused')
    reasons.push({ step: '', id: '', kind: 'paused', reason: 'the run is paused' });
  for (const step of state.waiting.keys()) {
    const what = gatheringAt(state, step).waitsFor(state, step);
    reasons.push({ step, id: step, kind: 'pending', reason: `waits for ${what}` });
  }
  return [...reasons, ...jobReasons(state)];
}

/** Iterations that only wait for a worker share one line. */
function jobReasons(state: State): Reason[] {
  const queued = new Map<string, number>();
  for (const job of state.jobs.values())
    if (isQueued(job)) queued.set(job.step, (queued.get(job.step) ?? 0) + 1);
  const isAlone = (job: Job) => !isQueued(job) || queued.get(job.step) === 1;
  const alone = [...state.jobs.values()].filter(isAlone);
  const reasons: Reason[] = alone
    .slice(0, LISTED_JOBS)
    .map((job) => ({ step: job.step, id: job.id, ...jobReason(state, job) }));
  for (const [step, count] of queued) {
    const what = indexOf(state.plan).step(step).loop ? 'iterations' : 'jobs';
    if (count > 1)
      reasons.push({ step, id: step, kind: 'worker', reason: `${count} ${what} wait for a worker` });
  }
  const more = alone.length - LISTED_JOBS;
  if (more > 0) reasons.push({ step: '', id: '', kind: 'note', reason: `and ${more} more jobs` });
  return reasons;
}

const isQueued = ({ status, human, child, until }: Job): boolean =>
  status !== 'leased' && !human && !child && !until;

/** What holds up a step that nothing has reached: the steps directly before it that have not ended. */
export function pendingReason(state: State, step: string): string {
  const before = new Set(indexOf(state.plan).incoming(step).map(arcSource));
  const asking = new Set([...state.jobs.values()].filter((job) => job.human).map((job) => job.step));
  const waits = [...before].flatMap((name) => {
    const status = state.steps.get(name)?.status ?? 'pending';
    if (asking.has(name)) return [`"${name}", which ${WAITS_FOR_APPROVAL}`];
    return status === 'pending' || status === 'running' ? [`"${name}", which is ${status}`] : [];
  });
  return waits.length > 0 ? `waits for ${waits.join(', ')}` : 'no token has reached it yet';
}

function jobReason(state: State, job: Job): Pick<Reason, 'kind' | 'reason'> {
  const { status, worker, human, child, until } = job;
  const { tasks } = indexOf(state.plan).step(job.step);
  const task = `task "${tasks[job.pipeline.pc]?.label}"`;
  const tries = job.pipeline.attempt > 0 ? `, attempt ${job.pipeline.attempt + 1}` : '';
  if (status === 'leased') return { kind: 'running', reason: `worker ${worker} runs ${task}${tries}` };
  if (human) {
    const asked = String(human.reason ?? APPROVAL_IS_NEEDED);
    return { kind: 'needs_human', reason: `${WAITS_FOR_APPROVAL}: ${asked}` };
  }
  if (child) return { kind: 'child', reason: `${task} waits for run ${child}` };
  if (until) return { kind: 'timer', reason: `${task}${tries} waits until ${new Date(until).toISOString()}` };
  return { kind: 'worker', reason: `${task}${tries} waits for a worker` };
}

const endWord = ({ status }: State): string => (status === 'cancelled' ? 'was cancelled' : 'ended');

function endReasons(state: State): Reason[] {
  const reasons: Reason[] = [];
  const { error } = state;
  if (error) {
    const kind = state.status === 'cancelled' ? 'cancelled' : 'failed';
    reasons.push({ step: error.step ?? '', id: '', kind, reason: error.message });
  }
  for (const [step, { status, because, error: own }] of state.steps) {
    if (because) reasons.push({ step, id: step, kind: status, reason: `${status}: ${because}` });
    else if (status === 'failed' && step !== error?.step)
      reasons.push({ step, id: step, kind: status, reason: `failed: ${own?.message}` });
  }
  const untouched =
    state.status === 'succeeded'
      ? 'no arc led to it'
      : `the run ${endWord(state)} before it reached this step`;
  for (const { name, idle = untouched } of state.plan.steps)
    if (!state.steps.has(name))
      reasons.push({ step: name, id: name, kind: 'skipped', reason: `skipped: ${idle}` });
  return reasons;
}
