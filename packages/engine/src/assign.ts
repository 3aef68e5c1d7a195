/** The assignment that goes with a lease. */
import { type Assignment, type Env, indexOf, jobIteration, jobOf, type Pipeline, runOf } from '@woof/net';
import type { LiveExecution } from './live-execution.ts';

export function assign(
  execution: LiveExecution,
  jobId: string,
  env: Pick<Env, 'now' | 'itemOf'>,
): Assignment {
  const { state, source } = execution;
  const job = jobOf(state, jobId);
  const run = runOf(state, job.run);
  const { execution_id, workload, ctx, steps, labels } = state;
  const assignment: Assignment = {
    execution_id,
    job_id: job.id,
    step_run_id: job.run,
    fence: job.fence,
    leased_at: env.now,
    plan: state.plan,
    step: indexOf(state.plan).step(job.step),
    args: job.loop !== null ? (run.passed ?? run.args) : run.args,
    pipeline: copyOf(job.pipeline),
    world: { execution_id, workload, ctx, steps, labels },
    granted: state.granted,
    source,
  };
  const iteration = jobIteration(state, env, job);
  if (iteration) assignment.iteration = iteration;
  if (state.iter) assignment.callerIter = state.iter;
  return assignment;
}

/** The worker folds its own pipeline; values inside are never changed in place. */
function copyOf(pipeline: Pipeline): Pipeline {
  const { iter, vars, results } = pipeline;
  return { ...pipeline, iter: { ...iter }, vars: { ...vars }, results: { ...results } };
}
