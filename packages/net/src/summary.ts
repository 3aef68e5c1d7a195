/** The short summary of an execution that `--json` and the HTTP API return. */
import type { Json } from './json.ts';
import {
  type ExecutionError,
  type ExecutionStatus,
  isEnded,
  jobOf,
  type State,
  type StepRun,
  type StepStatus,
} from './state.ts';

export interface StepAccount {
  status: StepStatus;
  runs: number;
  result?: Json;
  error?: Json;
}

export interface Account {
  execution_id: string;
  status: ExecutionStatus;
  steps: Record<string, StepAccount>;
  error?: ExecutionError;
}

export function accountOf(state: State): Account {
  const steps: Record<string, StepAccount> = Object.create(null);
  const untouched: StepStatus = isEnded(state) ? 'skipped' : 'pending';
  // The status of a step is that of the run that ended last, but a run that is still in progress takes precedence.
  const live = new Set([...state.runs.values()].filter((run) => !run.ended).map((run) => run.step));
  const humans = new Set([...state.jobs.values()].filter((job) => job.human).map((job) => job.step));
  const begun = stepsAtWork(state);
  for (const { name } of state.plan.steps) {
    const summary = state.steps.get(name);
    const goesOn = begun.has(name) ? 'running' : 'pending';
    const waits = humans.has(name) ? 'needs_human' : goesOn;
    const status = live.has(name) ? waits : (summary?.status ?? untouched);
    const account: StepAccount = { status, runs: summary?.runs ?? 0 };
    if (summary?.result !== undefined) account.result = summary.result;
    if (summary?.error !== undefined) account.error = summary.error as unknown as Json;
    steps[name] = account;
  }
  const account: Account = { execution_id: state.execution_id, status: state.status, steps };
  if (state.error) account.error = state.error;
  return account;
}

/**
 * Steps of which a worker has started something. A step whose job is waiting for its first worker, or for another, does
 * not count.
 */
function stepsAtWork(state: State): Set<string> {
  const waiting = new Set<string>();
  for (const id of state.ready) {
    const { loop, run, pipeline } = jobOf(state, id);
    if (loop === null && pipeline.taskRuns === 0) waiting.add(run);
  }
  const hasBegun = ({ id, started_at }: StepRun) => started_at !== undefined && !waiting.has(id);
  return new Set([...state.runs.values()].filter(hasBegun).map(({ step }) => step));
}
