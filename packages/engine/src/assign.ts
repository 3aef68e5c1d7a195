/** The assignment that goes with a lease. It is a value: what happens to the execution later does not change it. */
import { type Assignment, type Env, indexOf, jobIteration, jobOf, type Pipeline, runOf } from '@woof/net';
import type { LiveExecution } from './live-execution.ts';

export function assign(
  execution: Pick<LiveExecution, 'state' | 'source' | 'sight'>,
  jobId: string,
  env: Pick<Env, 'now' | 'itemOf'>,
): Assignment {
  const { state, source, sight } = execution;
  const job = jobOf(state, jobId);
  const run = runOf(state, job.run);
  const assignment: Assignment = {
    execution_id: state.execution_id,
    job_id: job.id,
    step_run_id: job.run,
    fence: job.fence,
    leased_at: env.now,
    plan: state.plan,
    step: indexOf(state.plan).step(job.step),
    args: job.loop !== null ? (run.passed ?? run.args) : run.args,
    pipeline: copyOf(job.pipeline),
    world: sight.world(),
    granted: state.granted,
    source,
  };
  const iteration = jobIteration(state, env, job);
  if (iteration) assignment.iteration = iteration;
  if (state.iter) assignment.callerIter = state.iter;
  return assignment;
}

/** The worker folds its own pipeline; the values inside are never changed in place. */
function copyOf(pipeline: Pipeline): Pipeline {
  const { iter, vars, results } = pipeline;
  return { ...pipeline, iter: { ...iter }, vars: { ...vars }, results: { ...results } };
}
