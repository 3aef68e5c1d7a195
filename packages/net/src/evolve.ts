/**
 * evolve(state, event): the fold. It changes and returns the state it is given: the state belongs to the fold.
 *
 * Owns: every change of state. Does not own: any decision; it never refuses, evaluates a template or reads a clock.
 * Invariant: the same events in the same order give the same snapshot, whether folded at once or from a snapshot on.
 */

import { patchShared, SHARED } from './ctx.ts';
import type { Event, EventName, EventOf } from './event.ts';
import { noteHome } from './home-worker.ts';
import { joinOf } from './join-modes.ts';
import type { JsonObject } from './json.ts';
import { applyOutcome, newPipeline, type TaskError } from './pipeline.ts';
import { arcSource, indexOf } from './plan-index.ts';
import { roughSize } from './rough-size.ts';
import {
  type BoundaryEvent,
  type Job,
  jobOf,
  type LoopState,
  loopOf,
  runOf,
  type State,
  type StepSummary,
} from './state.ts';

export function evolve(state: State, event: Event): State {
  state.seq += 1;
  fold(state, event);
  return state;
}

/** The name of an event determines which fold takes it and the type of its data; the compiler checks both through N. */
function fold<N extends EventName>(state: State, event: EventOf<N>): void {
  FOLDS[event.name](state, event, event.data);
}

export const eventNames = (): string[] => Object.keys(FOLDS);

type Folds = { [N in EventName]: (state: State, event: EventOf<N>, data: EventOf<N>['data']) => void };

const nothing = (): void => {};

const FOLDS: Folds = {
  'playbook.execution.requested': (state, event, data) => {
    state.started_at = event.at;
    state.plan_hash = data.plan;
    if (data.parent) state.parent = data.parent;
    if (data.iter) state.iter = data.iter;
    if (data.granted) state.granted = data.granted;
    if (data.priority) state.priority = data.priority;
    if (data.driver) state.driver = data.driver;
  },
  'playbook.request.evaluated': (state, _event, data) => {
    state.workload = data.workload;
    if (data.ctx) state.ctx = data.ctx;
  },
  'workflow.started': nothing,

  'token.enqueued': (state, event, data) => {
    const token = { id: data.token, step: event.step!, args: data.args ?? {} };
    state.tokens.set(token.id, {
      ...token,
      ...(data.arc === undefined ? {} : { arc: data.arc }),
      ...(data.event === undefined ? {} : { event: { name: data.event, step: arcSource(data.arc!) } }),
    });
    state.tokenCount += 1;
    count(state, token.step, 1);
    if (joinOf(state, token.step).gathers) {
      const waiting = state.waiting.get(token.step);
      if (waiting) waiting.push(token.id);
      else state.waiting.set(token.step, [token.id]);
      state.agenda.joins.add(token.step);
    } else {
      state.agenda.tokens.add(token.id);
    }
  },
  'token.denied': (state, event, data) => {
    consume(state, event.step!, data.tokens);
    skip(state, event, data.because);
  },
  'token.dropped': (state, event, data) => {
    consume(state, event.step!, [data.token]);
    skip(state, event, data.because);
  },

  'step.adopted': (state, event, data) => {
    // Later folds change a summary; the event must stay unchanged.
    state.steps.set(event.step!, { ...data.summary });
    Object.assign(state.labels, data.labels);
  },
  'step.scheduled': (state, event, data) => {
    const id = event.step_run_id!;
    consume(state, event.step!, data.tokens);
    count(state, event.step!, 1);
    const passed = data.passed ? { passed: data.passed } : {};
    state.runs.set(id, { id, step: event.step!, args: data.args ?? {}, ...passed, scheduled_at: event.at });
    const summary = summaryOf(state, event.step!);
    summary.status = 'running';
    summary.runs += 1;
    delete summary.error;
    delete summary.because;
    delete summary.reused_from;
    if (indexOf(state.plan).step(event.step!).loop === undefined) {
      addJob(state, id, id, event.step!, null, 0);
      if (data.held) hold(state, id, data.held, event.at);
    }
  },
  'step.started': (state, event) => {
    runOf(state, event.step_run_id!).started_at = event.at;
    summaryOf(state, event.step!).started_at = event.at;
  },
  'step.done': (state, event, data) => {
    const job = state.jobs.get(event.step_run_id!);
    const named = Object.entries(job?.pipeline.results ?? {}).filter(
      ([label]) => !GENERATED_LABEL.test(label),
    );
    for (const [label, result] of named) state.labels[label] = result;
    const tasks = named.length > 0 ? { tasks: Object.fromEntries(named) } : {};
    endRun(state, event, { event: 'step.done' }, { status: 'succeeded', result: data.result, ...tasks });
  },
  'step.failed': (state, event, data) => {
    const stats = data.stats ? { stats: data.stats } : {};
    endRun(
      state,
      event,
      { event: 'step.failed', error: data.error },
      { status: 'failed', error: data.error, ...stats },
    );
  },
  'step.skipped': (state, event, data) => skip(state, event, data.because),
  'step.cancelled': (state, event, data) => {
    dropPipelines(state, event.step_run_id!);
    closeRun(state, event.step_run_id!);
    Object.assign(summaryOf(state, event.step!), {
      status: 'cancelled',
      because: data.because,
      ended_at: event.at,
    });
  },

  'step.approved': (state, event, data) => answer(state, event, { approved: true, ...data }),
  'step.rejected': (state, event, data) => answer(state, event, { approved: false, ...data }),

  'next.evaluated': (state, event) => closeRun(state, event.step_run_id!),

  'loop.started': (state, event, data) => {
    const id = event.iteration_id ?? event.step_run_id!;
    state.loops.set(id, {
      id,
      run: event.step_run_id!,
      depth: data.depth,
      items: data.items,
      total: data.total,
      next: 0,
      oldest: 0,
      active: new Set(),
      succeeded: 0,
      failed: 0,
      maxInFlight: data.max_in_flight,
      results: [],
      bytes: 0,
      stored: { count: 0, pages: [] },
      errors: [],
      writers: {},
    });
    if (data.depth === 0)
      summaryOf(state, event.step!).stats = { total: data.total, succeeded: 0, failed: 0 };
    state.agenda.loops.add(id);
    if (data.depth > 0) putBehind(state.agenda.loops, parentOf(id));
  },
  'loop.iteration.started': (state, event, data) => {
    const loop = loopOf(state, parentOf(event.iteration_id!));
    loop.next = data.index + 1;
    loop.results.push(null);
    loop.active.add(data.index);
    if (isInnermost(state, event.step!, loop)) {
      addJob(state, event.iteration_id!, loop.run, event.step!, loop.id, data.index);
    }
  },
  'loop.iteration.done': (state, event, data) => {
    const loop = endIteration(state, event, data.index);
    loop.results[data.index - loop.stored.count] = data.result;
    if (data.result !== null) loop.bytes += roughSize(data.result);
    loop.succeeded += 1;
    tally(state, event.step!, loop);
  },
  'loop.results.stored': (state, event, data) => {
    const loop = loopOf(state, event.iteration_id ?? event.step_run_id!);
    for (const result of loop.results.splice(0, data.count)) {
      if (result !== null) loop.bytes -= roughSize(result);
    }
    loop.stored.count += data.count;
    loop.stored.pages.push(data.page);
    state.agenda.loops.add(loop.id);
  },
  'loop.iteration.failed': (state, event, data) => {
    const loop = endIteration(state, event, data.index);
    if (loop.errors.length < MOST_ERRORS) loop.errors.push({ index: data.index, error: data.error });
    loop.failed += 1;
    tally(state, event.step!, loop);
  },
  'loop.done': (state, event, data) => {
    const id = event.iteration_id ?? event.step_run_id!;
    forgetLoop(state, id);
    if (event.iteration_id === undefined) {
      endRun(
        state,
        event,
        { event: 'loop.done' },
        { status: 'succeeded', result: data.result!, stats: data.stats },
      );
    }
  },

  'job.leased': (state, event, data) => {
    const job = eventJob(state, event);
    job.status = 'leased';
    job.fence = event.fence!;
    job.worker = data.worker;
    noteHome(state, job, data.worker);
    state.ready.delete(job.id);
  },
  'job.released': (state, event) => requeue(state, event),
  'job.expired': (state, event) => {
    const { pipeline } = eventJob(state, event);
    pipeline.lost += 1;
    requeue(state, event);
  },
  'job.woken': (state, event) => requeue(state, event),
  'job.parked': (state, event, data) => {
    const job = eventJob(state, event);
    job.status = 'parked';
    job.worker = null;
    job.until = data?.until ?? null;
    job.child = data?.child ?? null;
    job.pipeline.memo = data?.memo ?? null;
    if (data?.human !== undefined) awaitHuman(state, job, data.human, event.at);
  },

  'task.started': nothing,
  'task.done': (state, event, data) => {
    const job = eventJob(state, event);
    const { tasks } = indexOf(state.plan).step(job.step);
    applyOutcome(job.pipeline, tasks, data.outcome, data.directive, event.at);
    if (data.directive.do === 'retry') summaryOf(state, job.step).retries += 1;
    if (job.pipeline.status !== 'running') state.agenda.jobs.add(job.id);
  },
  'ctx.patched': (state, event, data) => {
    state.ctx = { ...state.ctx, ...data.patch, ...patchShared(state.ctx, data.shared) };
    if (data.of_step) runOf(state, event.step_run_id!).patched = true;
    else if (event.iteration_id !== undefined) {
      recordWriters(state, event.iteration_id, data.patch ?? {});
      recordWriters(state, event.iteration_id, data.shared ?? {}, SHARED);
    }
  },

  'execution.driven': (state, _event, data) => {
    state.driver = data.driver;
  },
  'execution.needs_human': (state) => {
    state.status = 'needs_human';
  },
  'execution.paused': (state) => {
    state.status = 'paused';
  },
  'execution.resumed': (state) => {
    state.status = 'running';
  },
  'execution.cancelled': nothing,
  'workflow.finished': (state, event, data) => {
    state.status = data.status;
    state.ended_at = event.at;
    if (data.error) state.error = data.error;
    if (data.result !== undefined) state.result = data.result;
    for (const ids of Object.values(state.agenda) as Set<string>[]) ids.clear();
  },
  'playbook.processed': nothing,
};

/** Kept per loop; further errors are only counted. */
const MOST_ERRORS = 10_000;

const GENERATED_LABEL = /^task_\d+$/;

function summaryOf(state: State, step: string): StepSummary {
  let summary = state.steps.get(step);
  if (summary === undefined) {
    summary = { status: 'pending', runs: 0, retries: 0 };
    state.steps.set(step, summary);
  }
  return summary;
}

function skip(state: State, event: Event, because: string): void {
  const summary = summaryOf(state, event.step!);
  if (summary.runs === 0) Object.assign(summary, { status: 'skipped', because });
  lookAtJoins(state, event.step!);
}

function count(state: State, step: string, change: number): void {
  const now = (state.live.get(step) ?? 0) + change;
  if (now > 0) {
    state.live.set(step, now);
    return;
  }
  state.live.delete(step);
  lookAtJoins(state, step);
}

/** Joins that may no longer have to wait. If each step runs once, only those directly after it can change. */
function lookAtJoins(state: State, ended: string): void {
  const { plan, waiting, agenda } = state;
  if (plan.failure === 'route') for (const join of waiting.keys()) agenda.joins.add(join);
  else
    for (const { step } of indexOf(plan).step(ended).next.arcs) if (waiting.has(step)) agenda.joins.add(step);
}

function consume(state: State, step: string, tokens: string[]): void {
  for (const id of tokens) {
    state.tokens.delete(id);
    state.agenda.tokens.delete(id);
    count(state, step, -1);
  }
  const waiting = state.waiting.get(step);
  if (waiting === undefined) return;
  const left = waiting.filter((id) => !tokens.includes(id));
  if (left.length > 0) state.waiting.set(step, left);
  else state.waiting.delete(step);
  if (left.length === 0) state.agenda.joins.delete(step);
}

function addJob(
  state: State,
  id: string,
  run: string,
  step: string,
  loop: string | null,
  index: number,
): void {
  const pipeline = newPipeline(indexOf(state.plan).step(step).tasks);
  state.jobs.set(id, {
    id,
    run,
    step,
    loop,
    index,
    status: 'ready',
    fence: 0,
    worker: null,
    until: null,
    child: null,
    human: null,
    pipeline,
  });
  if (pipeline.status === 'done') state.agenda.jobs.add(id);
  else state.ready.add(id);
}

function eventJob(state: State, event: Event): Job {
  return jobOf(state, event.iteration_id ?? event.step_run_id!);
}

/** The parked tool receives the person's answer and the findings that it refers to, beside its own memo. */
function answer(state: State, event: Event, said: JsonObject): void {
  const job = eventJob(state, event);
  const asked = job.human?.violations === undefined ? {} : { violations: job.human.violations };
  job.pipeline.memo = { memo: job.pipeline.memo, answer: { ...said, ...asked, at: event.at } };
  requeue(state, event);
}

function requeue(state: State, event: Event): void {
  const job = eventJob(state, event);
  if (job.human) noLongerHuman(state, job);
  job.status = 'ready';
  job.worker = null;
  job.until = null;
  job.child = null;
  state.ready.add(job.id);
}

function endRun(
  state: State,
  event: Event,
  ended: { event: BoundaryEvent['name']; error?: TaskError },
  outcome: Partial<StepSummary>,
): void {
  const run = runOf(state, event.step_run_id!);
  dropPipelines(state, run.id);
  run.ended = ended;
  if (ended.event !== 'step.failed') state.lastDone = run.step;
  state.agenda.runs.add(run.id);
  const summary = summaryOf(state, run.step);
  // Of several firings the last one counts; nothing remains of an earlier one.
  if (ended.event === 'step.failed') delete summary.result;
  if (summary.tasks && !outcome.tasks) delete summary.tasks;
  Object.assign(summary, outcome);
  summary.ended_at = event.at;
}

/** The job of a step run, or its loops with all their jobs. */
function dropPipelines(state: State, runId: string): void {
  dropJob(state, runId);
  const loop = state.loops.get(runId);
  if (loop) dropLoop(state, loop);
}

function dropLoop(state: State, loop: LoopState): void {
  for (const index of loop.active) {
    const id = `${loop.id}/${index}`;
    dropJob(state, id);
    const inner = state.loops.get(id);
    if (inner) dropLoop(state, inner);
  }
  forgetLoop(state, loop.id);
}

function forgetLoop(state: State, id: string): void {
  state.loops.delete(id);
  state.agenda.loops.delete(id);
  state.agenda.crowded.delete(id);
}

/** Entries inside a loop get room first; otherwise outer iterations would take all of it. */
function putBehind(agenda: Set<string>, id: string): void {
  if (agenda.delete(id)) agenda.add(id);
}

function hold(state: State, id: string, question: JsonObject, at: number): void {
  const job = jobOf(state, id);
  job.status = 'held';
  state.ready.delete(id);
  awaitHuman(state, job, question, at);
}

function awaitHuman(state: State, job: Job, question: JsonObject, at: number): void {
  job.human = { ...question, since: at };
  state.humans += 1;
  summaryOf(state, job.step).status = 'needs_human';
}

function noLongerHuman(state: State, job: Job): void {
  job.human = null;
  state.humans -= 1;
  summaryOf(state, job.step).status = 'running';
  if (state.status === 'needs_human') state.status = 'running';
}

function dropJob(state: State, id: string): void {
  const job = state.jobs.get(id);
  if (job?.human) noLongerHuman(state, job);
  state.jobs.delete(id);
  state.ready.delete(id);
  state.agenda.jobs.delete(id);
}

function closeRun(state: State, id: string): void {
  const run = state.runs.get(id);
  if (run === undefined) return;
  state.runs.delete(id);
  state.agenda.runs.delete(id);
  count(state, run.step, -1);
}

/** The loop that an iteration belongs to: `fetch.1/3/7` belongs to `fetch.1/3`. */
export function parentOf(iterationId: string): string {
  return iterationId.slice(0, iterationId.lastIndexOf('/'));
}

function isInnermost(state: State, step: string, loop: LoopState): boolean {
  let spec = indexOf(state.plan).step(step).loop;
  for (let depth = 0; depth < loop.depth; depth++) spec = spec?.inner;
  return spec?.inner === undefined;
}

function endIteration(state: State, event: Event, index: number): LoopState {
  const id = event.iteration_id!;
  dropJob(state, id);
  const inner = state.loops.get(id);
  if (inner) dropLoop(state, inner);
  const loop = loopOf(state, parentOf(id));
  loop.active.delete(index);
  // Not the first entry of the set: finding it after many removals takes time proportional to their number.
  while (loop.oldest < loop.next && !loop.active.has(loop.oldest)) loop.oldest += 1;
  state.agenda.loops.add(loop.id);
  return loop;
}

function tally(state: State, step: string, loop: LoopState): void {
  if (loop.depth > 0) return;
  summaryOf(state, step).stats = { total: loop.total, succeeded: loop.succeeded, failed: loop.failed };
}

/** Each loop around an iteration remembers which of its own iterations wrote the key. */
function recordWriters(state: State, iterationId: string, patch: JsonObject, as?: number): void {
  for (let id = iterationId; ; id = parentOf(id)) {
    const loop = state.loops.get(parentOf(id));
    if (loop === undefined) return;
    const index = Number(id.slice(id.lastIndexOf('/') + 1));
    for (const key of Object.keys(patch)) loop.writers[key] = as ?? index;
  }
}
