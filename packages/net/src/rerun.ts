/**
 * What a rerun adopts from an earlier execution.
 *
 * The steps that run again are the named one (or those that did not succeed) and all that follow from them. The rest
 * is adopted: results, ctx patches, and the tokens that crossed from adopted steps into those that run again.
 */
import type { Adoption } from './command.ts';
import { patchShared } from './ctx.ts';
import type { Event } from './event.ts';
import type { JsonObject } from './json.ts';
import { arcSource, indexOf } from './plan-index.ts';
import type { State, StepSummary, Token } from './state.ts';

export function adoptionFrom(before: State, events: readonly Event[], from: string | undefined): Adoption {
  const again = stepsToRun(before, from);
  const steps: Record<string, StepSummary> = {};
  for (const [name, summary] of before.steps) if (!again.has(name)) steps[name] = summary;
  let ctx: JsonObject = {};
  const tokens: Omit<Token, 'id'>[] = [];
  for (const event of events) {
    const data = event.data ?? {};
    if (event.name === 'playbook.request.evaluated' && data.ctx) ctx = data.ctx as JsonObject;
    if (event.name === 'ctx.patched' && !again.has(event.step!)) {
      ctx = { ...ctx, ...(data.patch as JsonObject), ...patchShared(ctx, data.shared as JsonObject) };
    }
    if (event.name === 'token.enqueued' && crosses(event, again)) {
      const { token: _, ...rest } = data;
      tokens.push({ args: {}, ...rest, step: event.step! } as Omit<Token, 'id'>);
    }
  }
  return { rerun_of: before.execution_id, ctx, steps, labels: labelsOf(before, again), tokens };
}

function labelsOf(before: State, again: ReadonlySet<string>): Record<string, JsonObject> {
  const adopted = before.plan.steps.filter((step) => !again.has(step.name) && step.loop === undefined);
  return Object.fromEntries(
    adopted.map((step) => {
      const known = step.tasks.filter((task) => Object.hasOwn(before.labels, task.label));
      return [step.name, Object.fromEntries(known.map((task) => [task.label, before.labels[task.label]!]))];
    }),
  );
}

function crosses(event: Event, again: ReadonlySet<string>): boolean {
  const arc = event.data?.arc as string | undefined;
  return again.has(event.step!) && (arc === undefined || !again.has(arcSource(arc)));
}

const AGAIN: ReadonlySet<string> = new Set(['failed', 'cancelled', 'running', 'needs_human']);

function stepsToRun(before: State, from: string | undefined): Set<string> {
  const index = indexOf(before.plan);
  const roots = from === undefined ? [] : [from];
  for (const { name } of before.plan.steps) {
    const status = before.steps.get(name)?.status;
    if (status !== undefined && AGAIN.has(status)) roots.push(name);
  }
  // A guard that could not be evaluated fails the execution, and none of its steps.
  if (roots.length === 0 && before.error?.step !== undefined) roots.push(before.error.step);
  // Of a run that went well, with no step named, everything runs again.
  if (roots.length === 0) return new Set(before.plan.steps.map((step) => step.name));
  return new Set(roots.flatMap((name) => [name, ...index.descendants(name)]));
}
