/**
 * decide(state, command): the events that a command itself produces, or why it is refused. It changes nothing.
 * turn(state, command): decide, fold, and draw the consequences until the net is at rest.
 */
import { Allowance, sharing } from '@woof/expr';
import { advance } from './advance.ts';
import type {
  AnswerStep,
  Command,
  EndLoop,
  Env,
  JobReport,
  LeaseJob,
  Refusal,
  ReportJob,
  StartExecution,
} from './command.ts';
import { foldableShared, sharedFault, writeConflict } from './ctx.ts';
import { type Event, jobEvent, newEvent } from './event.ts';
import type { RequestedData } from './event-data.ts';
import { evolve } from './evolve.ts';
import { approversOf } from './explain.ts';
import type { JsonObject } from './json.ts';
import { isCollected } from './loop-results.ts';
import { endLoop, failLoop } from './loops.ts';
import { offloadEach, offloadMaps } from './offload.ts';
import { storedError } from './outcome.ts';
import { type Directive, type TaskError, taskRunId } from './pipeline.ts';
import type { Plan } from './plan.ts';
import { indexOf } from './plan-index.ts';
import { policyRejection } from './policy-hold.ts';
import { endExecution } from './routing.ts';
import { isEnded, type Job, runOf, type State } from './state.ts';

export type Decision = { events: Event[]; refusal?: never } | { refusal: Refusal; events?: never };

/**
 * A turn stops adding to the log at this point and the engine continues in another turn, so that no plan can hang the
 * process or delay others for long.
 */
const MOST_EVENTS = 250;
/** The same for templates: in allowances. */
const MOST_EVALUATED = 0.25;
/** What the templates of one consequence may create: what they create becomes events, which others wait for. */
const MOST_PRODUCED = 40_000_000;

export interface Turn {
  events: Event[];
  refusal?: Refusal;
  /** Consequences remain: call again with SettleExecution. */
  unsettled: boolean;
  /** How many characters and elements its templates created. */
  produced: number;
}

/** `mostEvents`: where the turn ends, except that a job that a report finished is ended in the same turn. */
export function turn(state: State, command: Command, env: Env, mostEvents = MOST_EVENTS): Turn {
  const decision = decide(state, command, env);
  if (decision.refusal) return { events: [], refusal: decision.refusal, unsettled: false, produced: 0 };
  const events: Event[] = [];
  let evaluated = 0;
  let produced = 0;
  let allowance = new Allowance(MOST_PRODUCED);
  const advanced = () => advance(state, env);
  const next = (): Event[] => {
    const consequence = sharing(advanced, allowance);
    // Most consequences evaluate nothing.
    if (allowance.used > 0) {
      evaluated += allowance.used;
      produced += allowance.produced;
      allowance = new Allowance(MOST_PRODUCED);
    }
    return consequence;
  };
  for (let more = decision.events; ; more = next()) {
    for (const event of more) {
      evolve(state, event);
      events.push(event);
    }
    if (more !== decision.events && more.length === 0) return { events, unsettled: false, produced };
    const isEnough = events.length >= mostEvents || evaluated >= MOST_EVALUATED;
    if (isEnough && state.agenda.jobs.size === 0) return { events, unsettled: !isEnded(state), produced };
  }
}

export function decide(state: State, command: Command, env: Env): Decision {
  if (command.type === 'StartExecution') {
    return state.seq > 0 ? { refusal: 'already_started' } : { events: start(state, command, env) };
  }
  if (isEnded(state)) return { refusal: 'execution_ended' };
  switch (command.type) {
    case 'LeaseJob':
      return lease(state, command, env);
    case 'ReportJob':
      return report(state, command, env);
    case 'ExpireJob': {
      const job = held(state, command.job_id, command.fence);
      if (typeof job === 'string') return { refusal: job };
      return { events: [jobEvent('job.expired', env.now, job, job.fence, { reason: command.reason })] };
    }
    case 'WakeJob': {
      const job = state.jobs.get(command.job_id);
      if (job?.status !== 'parked') return { refusal: job ? 'job_not_parked' : 'job_not_found' };
      return { events: [jobEvent('job.woken', env.now, job, job.fence)] };
    }
    case 'AnswerStep':
      return answer(state, command, env);
    case 'DriveExecution':
      return { events: [newEvent('execution.driven', env.now, {}, { driver: command.driver })] };
    case 'PauseExecution':
      if (state.status === 'paused') return { refusal: 'execution_paused' };
      return { events: [newEvent('execution.paused', env.now, {}, byWhom(command.by))] };
    case 'ResumeExecution':
      if (state.status !== 'paused') return { refusal: 'execution_not_paused' };
      return { events: [newEvent('execution.resumed', env.now, {}, byWhom(command.by))] };
    case 'CancelExecution': {
      const error = { kind: 'cancelled', retryable: false, message: command.reason } as const;
      const cancelled = newEvent('execution.cancelled', env.now, {}, { reason: command.reason });
      return { events: [cancelled, ...endExecution(state, env, 'cancelled', error)] };
    }
    case 'EndLoop':
      return collected(state, command, env);
    case 'FailExecution':
      return { events: endExecution(state, env, 'failed', command.error) };
    case 'SettleExecution':
      return { events: [] };
  }
}

function collected(state: State, command: EndLoop, env: Env): Decision {
  const loop = state.loops.get(command.loop_id);
  if (loop === undefined || !isCollected(loop)) return { refusal: 'loop_not_collected' };
  const { step } = runOf(state, loop.run);
  if ('error' in command) return { events: failLoop(loop, step, env, command.error) };
  return { events: endLoop(loop, step, env, command.result) };
}

const byWhom = (by: string | undefined): { by?: string } => (by === undefined ? {} : { by });

function start(state: State, command: StartExecution, env: Env): Event[] {
  const { plan } = state;
  const { adopt } = command;
  const at = env.now;
  const workload = offloadEach(command.workload, env);
  const evaluated = { workload, ...(adopt ? { ctx: offloadEach(adopt.ctx, env) } : {}) };
  const events: Event[] = [
    newEvent('playbook.execution.requested', at, {}, requested(plan, command, env)),
    newEvent('playbook.request.evaluated', at, {}, evaluated),
    newEvent('workflow.started', at, {}, { entry: plan.entry }),
  ];
  for (const [step, { tasks: results, ...summary }] of Object.entries(adopt?.steps ?? {})) {
    const [labels = {}, tasks] = offloadMaps([adopt?.labels[step] ?? {}, results ?? {}], env);
    const data = { summary: results && tasks ? { ...summary, tasks } : summary, labels };
    events.push(newEvent('step.adopted', at, { step }, data));
  }
  const tokens = adopt?.tokens ?? plan.entry.map((step) => ({ step, args: {} }));
  tokens.forEach(({ step, ...token }, index) => {
    events.push(newEvent('token.enqueued', at, { step }, { token: `t${index + 1}`, ...token }));
  });
  return events;
}

function requested(plan: Plan, command: StartExecution, env: Env): RequestedData {
  const { source, parent, iter, granted, driver, priority, adopt } = command;
  return {
    plan: command.plan_hash,
    kind: plan.kind,
    name: plan.name,
    ...(plan.path ? { path: plan.path } : {}),
    ...(source ? { source } : {}),
    ...(parent ? { parent } : {}),
    ...(iter ? { iter: offloadEach(iter, env) } : {}),
    ...(granted ? { granted } : {}),
    ...(driver ? { driver } : {}),
    ...(priority ? { priority } : {}),
    ...(adopt ? { rerun_of: adopt.rerun_of } : {}),
  };
}

function lease(state: State, command: LeaseJob, env: Env): Decision {
  if (state.status === 'paused') return { refusal: 'execution_paused' };
  const job = state.jobs.get(command.job_id);
  if (job?.status !== 'ready') return { refusal: job ? 'job_not_ready' : 'job_not_found' };
  const events: Event[] = [];
  if (state.runs.get(job.run)?.started_at === undefined) {
    events.push(newEvent('step.started', env.now, { step: job.step, step_run_id: job.run }));
  }
  events.push(jobEvent('job.leased', env.now, job, job.fence + 1, { worker: command.worker }));
  return { events };
}

function report(state: State, command: ReportJob, env: Env): Decision {
  const job = held(state, command.job_id, command.fence);
  if (typeof job === 'string') return { refusal: job };
  if (command.worker !== undefined && command.worker !== job.worker) return { refusal: 'other_worker' };
  const events: Event[] = [];
  let isNews = command.reports.length === 0;
  let before: JobReport | undefined;
  for (const item of command.reports) {
    if (isOfSameRun(item, before) || isNext(job, item)) addReported(events, state, job, item, env);
    else if (isRecorded(job, item)) continue;
    else return { refusal: 'out_of_order' };
    isNews = true;
    before = item;
  }
  if (!isNews) return { refusal: 'already_recorded' };
  const last = command.reports[command.reports.length - 1];
  // A paused execution takes a job back between two tasks; a finished pipeline ends by itself.
  if (state.status === 'paused' && last?.type === 'done' && isGoingOn(job, last.directive, state)) {
    events.push(jobEvent('job.released', env.now, job, job.fence, { reason: 'the run is paused' }));
  }
  return { events };
}

/** `started` and `done` usually arrive together. */
function isOfSameRun(item: JobReport, before: JobReport | undefined): boolean {
  if (before?.type !== 'started' || item.type !== 'done') return false;
  return item.task_run_id === before.task_run_id && item.label === before.label;
}

/** The report is about the task run after the last recorded one, or about none. */
function isNext(job: Job, item: JobReport): boolean {
  return !('task_run_id' in item) || item.task_run_id === taskRunId(job.id, job.pipeline, item.label);
}

/** A report whose response was lost is sent again: the task run that it is about is already over. */
function isRecorded(job: Job, item: JobReport): boolean {
  return 'task_run_id' in item && runNumber(item.task_run_id) <= job.pipeline.taskRuns;
}

/** `fetch.2/17/get_page.3` is run number 3. */
function runNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

function answer(state: State, command: AnswerStep, env: Env): Decision {
  const { step, approved, by, note, override } = command;
  // If a nested run asks, the answer is meant for that run.
  const isMeant = (each: Job) => (each.step === step || each.id === step) && each.human && !each.human.asks;
  const job = [...state.jobs.values()].find(isMeant);
  if (job === undefined) return { refusal: 'step_not_waiting' };
  const approvers = approversOf(job);
  if (approvers && !approvers.includes(by ?? '')) return { refusal: 'not_an_approver' };
  const isHeld = job.status === 'held';
  if (isHeld && approved && !override) return { refusal: 'override_needed' };
  const said = {
    ...byWhom(by),
    ...(note === undefined ? {} : { note }),
    ...(override ? { override } : {}),
  };
  const answered = jobEvent(approved ? 'step.approved' : 'step.rejected', env.now, job, job.fence, said);
  // No worker has seen the job, so none has to be notified.
  return { events: isHeld && !approved ? [answered, rejected(job, command, env)] : [answered] };
}

function rejected(job: Job, answer: AnswerStep, env: Env): Event {
  const error = policyRejection(job.human?.violations as string[], answer);
  return jobEvent('step.failed', env.now, job, undefined, { error });
}

function addReported(events: Event[], state: State, job: Job, item: JobReport, env: Env): void {
  switch (item.type) {
    case 'started':
      events.push(ofTask(jobEvent('task.started', env.now, job, job.fence), item));
      return;
    case 'done': {
      const directive = permitted(state, env, job, item.directive);
      const ended = jobEvent('task.done', env.now, job, job.fence, { outcome: item.outcome, directive });
      events.push(ofTask(ended, item));
      const { set_ctx: patch, set_shared: shared } = directive;
      if (!patch && !shared) return;
      const patched = { ...(patch ? { patch } : {}), ...(shared ? { shared } : {}) };
      const written = jobEvent('ctx.patched', env.now, job, job.fence, patched);
      written.task_label = item.label;
      events.push(written);
      return;
    }
    case 'parked': {
      const { type: _, ...data } = item;
      events.push(jobEvent('job.parked', env.now, job, job.fence, data));
      return;
    }
    case 'released':
      events.push(jobEvent('job.released', env.now, job, job.fence, { reason: item.reason }));
  }
}

function ofTask(event: Event, item: { label: string; task_run_id: string; attempt: number }): Event {
  event.task_run_id = item.task_run_id;
  event.task_label = item.label;
  event.attempt = item.attempt;
  return event;
}

/** A ctx write that breaks the rules fails the pipeline instead. */
function permitted(state: State, env: Env, job: Job, directive: Directive): Directive {
  const { set_ctx, set_shared, ...rest } = directive;
  if (!set_ctx && !set_shared) return directive;
  const failed = (error: Pick<TaskError, 'message'> & Partial<TaskError>): Directive => ({
    ...rest,
    do: 'fail',
    error: { kind: 'policy', retryable: false, code: 'ctx_conflict', ...error },
  });
  try {
    const fault =
      (set_shared && sharedFault(set_shared, state.ctx, env)) ??
      writeConflict(state, job, env, set_ctx, set_shared);
    if (fault !== undefined) return failed({ message: fault });
    return set_shared ? { ...directive, set_shared: foldedWithin(set_shared, state, env) } : directive;
  } catch (error) {
    // If a value is merely not loaded yet, the whole turn is void.
    return failed(storedError(error) ?? { message: (error as Error).message });
  }
}

function foldedWithin(shared: JsonObject, { ctx }: State, env: Env): JsonObject {
  const foldable = foldableShared(shared, ctx, env);
  const changes = offloadMaps(Object.values(foldable) as JsonObject[], env);
  return Object.fromEntries(Object.keys(foldable).map((key, index) => [key, changes[index]!]));
}

function isGoingOn(job: Job, directive: Directive, state: State): boolean {
  if (directive.do === 'retry' || directive.do === 'jump') return true;
  if (directive.do === 'break' || directive.do === 'fail') return false;
  return job.pipeline.pc + 1 < indexOf(state.plan).step(job.step).tasks.length;
}

function held(state: State, jobId: string, fence: number): Job | Refusal {
  const job = state.jobs.get(jobId);
  if (job === undefined) return 'job_not_found';
  return job.fence === fence && job.status === 'leased' ? job : 'stale_fence';
}
