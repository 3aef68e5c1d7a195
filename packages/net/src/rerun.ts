/**
 * What a rerun adopts from an earlier execution.
 *
 * The steps that run again are the named one (or those that did not succeed), those that may have read something that
 * changed, and all their descendants. The rest is adopted: results, ctx patches, and the tokens that crossed from
 * adopted steps into those that run again.
 */
import { WAITING_FOR_APPROVAL } from './approval-words.ts';
import type { AdoptedToken, Adoption } from './command.ts';
import { patchShared } from './ctx.ts';
import type { Event, EventOf } from './event.ts';
import type { JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import { arcSource, indexOf } from './plan-index.ts';
import { changedSteps } from './rerun-changes.ts';
import type { State, StepSummary } from './state.ts';

export interface RerunRequest {
  /** Runs again, with all its descendants. */
  from?: string | undefined;
  /** Absent: unchanged. */
  workload?: JsonObject | undefined;
  /** The plan of another version of the document; absent: unchanged. */
  plan?: Plan | undefined;
}

export interface StepReason {
  step: string;
  reason: string;
}

export interface Rerun {
  plan: Plan;
  workload: JsonObject;
  reused: StepReason[];
  runs: StepReason[];
}

export function planRerun(before: State, request: RerunRequest): Rerun {
  const { plan = before.plan, workload = before.workload } = request;
  const again = withDescendants(plan, rootsOf(before, { plan, workload, from: request.from }));
  const kept = plan.steps.filter(({ name }) => before.steps.has(name) && !again.has(name));
  return {
    plan,
    workload,
    reused: kept.map(({ name }) => ({ step: name, reason: `it ${before.steps.get(name)!.status}` })),
    runs: [...again].map(([step, reason]) => ({ step, reason })),
  };
}

export function adoptionFrom(before: State, events: readonly Event[], rerun: Rerun): Adoption {
  const again = new Set(rerun.runs.map(({ step }) => step));
  const kept = new Set(rerun.reused.map(({ step }) => step));
  const steps: Record<string, StepSummary> = {};
  // A step that the earlier execution had adopted keeps the execution in which it ran.
  for (const [name, summary] of before.steps)
    if (kept.has(name)) steps[name] = { reused_from: before.execution_id, ...summary };
  let ctx: JsonObject = {};
  const tokens: AdoptedToken[] = [];
  for (const event of events) {
    if (event.name === 'playbook.request.evaluated' && event.data.ctx) ctx = event.data.ctx;
    if (event.name === 'ctx.patched' && kept.has(event.step!)) {
      ctx = { ...ctx, ...event.data.patch, ...patchShared(ctx, event.data.shared) };
    }
    if (event.name === 'token.enqueued' && crosses(event, again, kept)) {
      const { token: _, ...rest } = event.data;
      tokens.push({ args: {}, ...rest, step: event.step! });
    }
  }
  const labels = labelsOf(before, rerun.plan, kept);
  return {
    rerun_of: before.execution_id,
    ctx,
    steps,
    labels,
    tokens: [...tokens, ...newEntries(before, rerun)],
  };
}

/** The entries of the new version that the earlier one did not have. */
function newEntries(before: State, { plan }: Rerun): AdoptedToken[] {
  const entries = plan.entry.filter((step) => !before.plan.entry.includes(step));
  return entries.map((step) => ({ step, args: {} }));
}

function labelsOf(before: State, plan: Plan, kept: ReadonlySet<string>): Record<string, JsonObject> {
  const adopted = plan.steps.filter((step) => kept.has(step.name) && step.loop === undefined);
  return Object.fromEntries(
    adopted.map((step) => {
      const known = step.tasks.filter((task) => Object.hasOwn(before.labels, task.label));
      return [step.name, Object.fromEntries(known.map((task) => [task.label, before.labels[task.label]!]))];
    }),
  );
}

type Enqueued = EventOf<'token.enqueued'>;

function crosses(event: Enqueued, again: ReadonlySet<string>, kept: ReadonlySet<string>): boolean {
  const { arc } = event.data;
  return again.has(event.step!) && (arc === undefined || kept.has(arcSource(arc)));
}

const AGAIN: Readonly<Record<string, string>> = {
  failed: 'it failed',
  cancelled: 'it was cancelled',
  running: 'it did not finish',
  needs_human: `it was ${WAITING_FOR_APPROVAL}`,
};

type Roots = Map<string, string>;

/** The steps that run again regardless of the steps before them, each with the reason. */
function rootsOf(
  before: State,
  { plan, workload, from }: { plan: Plan; workload: JsonObject; from: string | undefined },
): Roots {
  const roots: Roots = new Map();
  if (from !== undefined) roots.set(from, 'you named it');
  for (const { name } of plan.steps) {
    const reason = AGAIN[before.steps.get(name)?.status ?? ''];
    if (reason !== undefined && !roots.has(name)) roots.set(name, reason);
  }
  for (const [name, reason] of changedSteps(before, { plan, workload }))
    if (!roots.has(name)) roots.set(name, reason);
  const { error } = before;
  // A guard that cannot be evaluated fails the execution, but none of its steps.
  if (roots.size === 0 && error?.step !== undefined) roots.set(error.step, 'its routing failed');
  // If the run succeeded and no step is named, everything runs again.
  if (roots.size === 0) for (const { name } of plan.steps) roots.set(name, 'the whole run succeeded');
  return roots;
}

/** In the order of the plan. */
function withDescendants(plan: Plan, roots: Roots): Roots {
  const index = indexOf(plan);
  const all: Roots = new Map(roots);
  for (const name of roots.keys())
    for (const next of index.has(name) ? index.descendants(name) : [])
      if (!all.has(next)) all.set(next, `it follows from "${name}"`);
  return new Map(plan.steps.flatMap(({ name }) => (all.has(name) ? [[name, all.get(name)!] as const] : [])));
}
