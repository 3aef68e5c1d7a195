/** A state of a run, as the views read it. */
import {
  accountOf,
  type Event,
  explain,
  isEnded,
  isObject,
  type Json,
  type JsonObject,
  type LoopStats,
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
    event: event?.name,
    steps: state.plan.steps.map(({ name }) => markOf(state, name, steps[name]!, loops)),
    error: error && { step: error.step, message: error.message },
    result: isEnded(state) && result !== undefined ? text(result) : undefined,
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
    started_at,
    ended_at: account.status === 'running' ? undefined : ended_at,
    retries,
    because,
    reasons: reasonsOf(state, step, account),
    result: account.result === undefined ? undefined : text(account.result),
    error: isObject(account.error) ? errorOf(account.error, text) : undefined,
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
      const child: Child = { execution_id: id, iteration_id, status: 'running' };
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
    if (loop) found.set(step, progressOf(loop));
  }
  return found;
}

const progressOf = ({ total, succeeded, failed }: LoopStats): StepMark['progress'] => ({
  done: succeeded + failed,
  failed,
  total,
});

function markOf(
  state: State,
  step: string,
  { status, runs }: StepAccount,
  loops: ReadonlyMap<string, StepMark['progress']>,
): StepMark {
  const { stats, reused_from } = state.steps.get(step) ?? {};
  return { status, runs, reused_from, progress: loops.get(step) ?? (stats && progressOf(stats)) };
}

function errorOf({ message, kind, details, ...rest }: JsonObject, text: ToText): StepError {
  const { traceback, ...more } = isObject(details) ? details : ({} as JsonObject);
  const textOr = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  return {
    message: String(message ?? ''),
    kind: textOr(kind),
    task: textOr(rest.task),
    traceback: textOr(traceback),
    more: text({ ...rest, ...(Object.keys(more).length > 0 ? { details: more } : {}) }),
  };
}
