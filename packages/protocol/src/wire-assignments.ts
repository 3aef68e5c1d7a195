/** Assignments in the form that is sent: plans by hash, and data that jobs of one execution share only once. */
import { type Assignment, indexOf, type JsonObject, type Plan, type ShownStep, type World } from '@woof/net';
import type { ClaimAnswer, WireExecution, WireJob } from './work.ts';

type Carried = Pick<ClaimAnswer, 'jobs' | 'executions'>;

export function toWire(assignments: readonly Assignment[], hashOf: (plan: Plan) => string): Carried {
  const executions: Record<string, WireExecution> = {};
  const keys = new Map<World, string>();
  // The last job of an execution was leased on its latest state, which is stored under the id.
  for (const assignment of assignments.toReversed()) {
    const { execution_id: id, world } = assignment;
    if (keys.has(world)) continue;
    const key = Object.hasOwn(executions, id) ? `${id}#${keys.size}` : id;
    keys.set(world, key);
    executions[key] = sharedOf(assignment, hashOf);
  }
  return {
    jobs: assignments.map((assignment) => jobOf(assignment, keys.get(assignment.world)!)),
    executions,
  };
}

function sharedOf(assignment: Assignment, hashOf: (plan: Plan) => string): WireExecution {
  const { plan, source, granted, callerIter, world } = assignment;
  const results: JsonObject = {};
  const named: Record<string, JsonObject> = {};
  for (const { name } of plan.steps) {
    const { result, tasks } = world.steps.get(name) ?? {};
    if (result !== undefined) results[name] = result;
    if (tasks !== undefined) named[name] = tasks;
  }
  return {
    plan: hashOf(plan),
    source,
    granted,
    ...(callerIter ? { caller_iter: callerIter } : {}),
    workload: world.workload,
    ctx: world.ctx,
    results,
    labels: world.labels,
    tasks: named,
  };
}

function jobOf(assignment: Assignment, key: string): WireJob {
  const { execution_id, job_id, fence, leased_at, step_run_id, step, args, pipeline, iteration } = assignment;
  const job: WireJob = {
    execution_id,
    job_id,
    fence,
    leased_at,
    step_run_id,
    step: step.name,
    args,
    pipeline,
  };
  if (iteration) job.iteration = iteration;
  if (key !== execution_id) job.shares = key;
  return job;
}

export async function fromWire(
  { jobs, executions }: Carried,
  planOf: (hash: string) => Promise<Plan>,
): Promise<Assignment[]> {
  const plans = new Map<string, Plan>();
  for (const { plan } of Object.values(executions)) if (!plans.has(plan)) plans.set(plan, await planOf(plan));
  return jobs.map((job) => {
    const shared = executions[job.shares ?? job.execution_id]!;
    return assignmentOf(job, shared, plans.get(shared.plan)!);
  });
}

function assignmentOf(job: WireJob, shared: WireExecution, plan: Plan): Assignment {
  const { step: name, shares: _, ...rest } = job;
  const { workload, ctx, results, labels, tasks = {}, source, granted, caller_iter } = shared;
  const shown = (step: string): ShownStep | undefined => {
    if (!Object.hasOwn(results, step)) return undefined;
    const named = Object.hasOwn(tasks, step) ? { tasks: tasks[step]! } : {};
    return { result: results[step]!, ...named };
  };
  return {
    ...rest,
    plan,
    step: indexOf(plan).step(name),
    source,
    granted,
    world: { execution_id: job.execution_id, workload, ctx, steps: { get: shown }, labels },
    ...(caller_iter ? { callerIter: caller_iter } : {}),
  };
}
