/** A state of a run, as the views read it. */
import {
  accountOf,
  type Event,
  explain,
  isEnded,
  isObject,
  type Json,
  type JsonObject,
  pendingReason,
  type State,
  type StepAccount,
} from '@woof/net';
import type { Child, Moment, Span, StepError, StepMark, StepMoment, ValueText } from './run-source.ts';

export type ToText = (value: Json) => ValueText;

const MOST_REASONS = 100;
const MOST_ATTEMPTS = 200;

export function momentOf(state: State, at: number, event: Event | undefined, text: ToText): Moment {
  const { steps } = accountOf(state);
  const loops = liveLoops(state);
  const { error, result } = state;
  return {
    seq: state.seq,
    at,
    status: state.seq === 0 ? 'not started' : state.status,
    ...(event === undefined ? {} : { event: event.name }),
    steps: state.plan.steps.map(({ name }) => markOf(state, name, steps[name]!, loops)),
    ...(error === undefined
      ? {}
      : { error: { ...(error.step ? { step: error.step } : {}), message: error.message } }),
    ...(isEnded(state) && result !== undefined ? { result: text(result) } : {}),
    workload: text(state.workload),
    ctx: text(state.ctx),
  };
}

/** `spans` are the runs of the step until then, and `log` their events. */
export function stepMomentOf(
  state: State,
  step: string,
  spans: readonly Span[],
  log: readonly Event[],
  text: ToText,
): StepMoment {
  const account = accountOf(state).steps[step]!;
  const { started_at, ended_at, retries = 0, because } = state.steps.get(step) ?? {};
  return {
    ...markOf(state, step, account, liveLoops(state)),
    step,
    ...(started_at === undefined ? {} : { started_at }),
    ...(ended_at === undefined || account.status === 'running' ? {} : { ended_at }),
    retries,
    ...(because === undefined ? {} : { because }),
    reasons: reasonsOf(state, step, account),
    ...(account.result === undefined ? {} : { result: text(account.result) }),
    ...(isObject(account.error) ? { error: errorOf(account.error, text) } : {}),
    attempts: spans.flatMap(({ tasks }) => tasks).slice(-MOST_ATTEMPTS),
    children: childrenOf(log),
  };
}

/** The outcome of the task that called a nested run is that of the nested run. Failed ones come first. */
function childrenOf(log: readonly Event[]): Child[] {
  const all = new Map<string, Child>();
  const called = new Map<string, Child>();
  for (const event of log) {
    const { iteration_id } = event;
    const job = iteration_id ?? event.step_run_id ?? '';
    if (event.name === 'job.parked' && event.data?.child !== undefined) {
      const id = event.data.child;
      const child: Child = { execution_id: id, ...(iteration_id ? { iteration_id } : {}), status: 'running' };
      all.set(id, child);
      called.set(job, child);
    }
    const child = event.name === 'task.done' ? called.get(job) : undefined;
    if (event.name !== 'task.done' || child === undefined) continue;
    child.status = event.data.outcome.status === 'error' ? 'failed' : 'succeeded';
    called.delete(job);
  }
  const isFailed = ({ status }: Child) => Number(status === 'failed');
  return [...all.values()].sort((a, b) => isFailed(b) - isFailed(a));
}

function reasonsOf(state: State, step: string, { status, runs }: StepAccount): StepMoment['reasons'] {
  if (state.seq === 0) return [];
  const reasons = explain(state).filter((reason) => reason.step === step);
  if (reasons.length > 0 || status !== 'pending' || runs > 0) return reasons.slice(0, MOST_REASONS);
  return [{ step, id: step, kind: status, reason: pendingReason(state, step) }];
}

function liveLoops(state: State): Map<string, StepMark['progress']> {
  const found = new Map<string, StepMark['progress']>();
  for (const { id, step, ended } of state.runs.values()) {
    const loop = ended ? undefined : state.loops.get(id);
    if (loop) found.set(step, { done: loop.succeeded + loop.failed, failed: loop.failed, total: loop.total });
  }
  return found;
}

function markOf(
  state: State,
  step: string,
  { status, runs }: StepAccount,
  loops: ReadonlyMap<string, StepMark['progress']>,
): StepMark {
  const { stats, reused_from } = state.steps.get(step) ?? {};
  const ended = stats && { done: stats.succeeded + stats.failed, failed: stats.failed, total: stats.total };
  const progress = loops.get(step) ?? ended;
  return { status, runs, ...(reused_from ? { reused_from } : {}), ...(progress ? { progress } : {}) };
}

function errorOf({ message, kind, details, ...rest }: JsonObject, text: ToText): StepError {
  const { traceback, ...more } = isObject(details) ? details : ({} as JsonObject);
  return {
    message: String(message ?? ''),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof rest.task === 'string' ? { task: rest.task } : {}),
    ...(typeof traceback === 'string' && traceback !== '' ? { traceback } : {}),
    more: text({ ...rest, ...(Object.keys(more).length > 0 ? { details: more } : {}) }),
  };
}
