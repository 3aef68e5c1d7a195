/** An execution at its start: its row, its empty state, and the command that starts it. */
import {
  asData,
  type Command,
  emptyState,
  encodeJson,
  mayHoldReference,
  type Plan,
  writtenPlan,
} from '@woof/net';
import { type ExecutionRow, inputsOf } from '@woof/stores';
import type { StartRequest } from './engine-options.ts';
import { LiveExecution } from './live-execution.ts';
import { hashPlan, hashPlanText } from './replay.ts';
import type { DriverNames } from './sharing/sharing.ts';

const storedPlans = new WeakMap<Plan, { hash: string; plan: Plan }>();

/** A plan as stored. It never changes, and a document that is started often has one plan for all its runs. */
function storedPlan(given: Plan): { hash: string; plan: Plan } {
  let stored = storedPlans.get(given);
  if (stored === undefined) {
    const written = writtenPlan(given);
    const text = encodeJson(written);
    const plan = mayHoldReference(text) ? (asData(written) as Plan) : written;
    stored = { hash: plan === written ? hashPlanText(text) : hashPlan(plan), plan };
    storedPlans.set(given, stored);
  }
  return stored;
}

export function newExecution(
  id: string,
  request: StartRequest,
  now: number,
  names: DriverNames,
): { execution: LiveExecution; command: Command } {
  const { source, granted, more } = request;
  const { hash, plan } = storedPlan(request.plan);
  // What one of our own runs passes on may contain references.
  const workload = more?.parent || more?.adopt ? request.workload : asData(request.workload);
  const by = names.log ? { driver: names.log } : {};
  const row: ExecutionRow = {
    execution_id: id,
    name: plan.name,
    kind: plan.kind,
    status: 'running',
    started_at: now,
    plan_hash: hash,
    ...(source.file ? { file: source.file } : {}),
    ...(plan.path ? { path: plan.path } : {}),
    ...(more?.parent ? { parent: more.parent.execution_id } : {}),
    ...(more?.adopt ? { rerun_of: more.adopt.rerun_of } : {}),
    ...(names.row ? { driver: names.row } : {}),
  };
  const first = { row, plan: { hash, plan }, inputs: inputsOf(workload), parent: more?.parent };
  const execution = new LiveExecution(emptyState(id, plan), source, first);
  const given = granted ? { granted } : {};
  const command = {
    type: 'StartExecution',
    plan_hash: hash,
    workload,
    source,
    ...given,
    ...by,
    ...more,
  } as const;
  return { execution, command };
}
