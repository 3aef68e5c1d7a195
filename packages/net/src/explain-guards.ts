/**
 * Which guards kept a step from running, and what they read: what `woof why` adds to its reasons.
 *
 * Found by inspecting each event before it is folded, in the state in which it was decided. So no run pays for it, and
 * the values of that moment are still there. No secrets appear here: guards cannot see any.
 */
import { compile, compileExpression } from '@woof/expr';
import type { Env } from './command.ts';
import type { Event, EventOf } from './event.ts';
import { encodeJson } from './json.ts';
import type { Arc, Step } from './plan.ts';
import { indexOf } from './plan-index.ts';
import { holds, RenderError, type Site } from './render.ts';
import { arcSite, isForSuccess } from './routing.ts';
import type { State, StepRun } from './state.ts';
import { admissionSite } from './tokens.ts';

/** Why a step did not get this token; `from` is the step that could have sent it, or the step itself. */
export interface KeptBack {
  step: string;
  from: string;
  why: string;
}

const MOST_VALUES = 6;
const LONGEST_VALUE = 80;
const LONGEST_GUARD = 200;

export function keptBackBy(state: State, event: Event): KeptBack[] {
  if (event.name === 'next.evaluated') return arcsNotTaken(state, event);
  return event.name === 'token.denied' ? [denial(state, event)] : [];
}

function arcsNotTaken(state: State, event: Event): KeptBack[] {
  const run = state.runs.get(event.step_run_id!);
  if (run?.ended === undefined) return [];
  const { next } = indexOf(state.plan).step(run.step);
  const refusals: KeptBack[] = [];
  let taken: Arc | undefined;
  for (const [index, arc] of next.arcs.entries()) {
    const why = taken
      ? `the arc to "${taken.step}" comes first and was taken`
      : notTaken(state, event, run, index);
    if (why === undefined) taken = next.mode === 'exclusive' ? arc : undefined;
    else if (why !== '')
      refusals.push({ step: arc.step, from: run.step, why: `arc from "${run.step}": ${why}` });
  }
  return refusals;
}

/** Undefined if the arc was taken; empty if there is nothing to say. */
function notTaken(state: State, event: Event, run: StepRun, index: number): string | undefined {
  const arc = indexOf(state.plan).step(run.step).next.arcs[index]!;
  if (isForSuccess(arc) && run.ended!.event === 'step.failed')
    return `it applies only to success, and "${run.step}" failed`;
  if (arc.when === undefined) return undefined;
  const site = arcSite(state, envAt(event), run, `${run.step}/next/${index}`, arc.when);
  const isTrue = judged(arc.when, site);
  if (isTrue === undefined) return '';
  return isTrue ? undefined : isFalse(arc.when, site);
}

function denial(state: State, event: EventOf<'token.denied'>): KeptBack {
  const step = indexOf(state.plan).step(event.step!);
  const tokens = event.data.tokens.flatMap((id) => state.tokens.get(id) ?? []);
  const site = admissionSite(state, envAt(event), step, tokens);
  return { step: step.name, from: step.name, why: deniedBy(step, site) };
}

function deniedBy({ admit }: Step, site: Site): string {
  const isTrue = admit.map(({ when }) => when === undefined || judged(when, site) === true);
  const [matching, at] = [admit[isTrue.indexOf(true)], isTrue.indexOf(true)];
  if (matching?.when !== undefined) return `rule ${at + 1} denies it: ${isRight(matching.when, site)}`;
  const open = admit.flatMap(({ when, allow }) => (allow && when !== undefined ? [isFalse(when, site)] : []));
  return open.join('; ') || 'no rule allows it';
}

const isFalse = (when: string, site: Site): string =>
  `${short(when, LONGEST_GUARD)} is false${readBy(when, site)}`;
const isRight = (when: string, site: Site): string =>
  `${short(when, LONGEST_GUARD)} is true${readBy(when, site)}`;

function judged(when: string, site: Site): boolean | undefined {
  try {
    return holds(when, site);
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
}

function readBy(when: string, site: Site): string {
  const paths = [...(compile(when).template?.paths ?? [])];
  if (paths.length === 0) return '';
  const values = paths.slice(0, MOST_VALUES).map((path) => `${path} ${readAs(path, site)}`);
  return ` (${values.join(', ')}${paths.length > MOST_VALUES ? ', …' : ''})`;
}

function readAs(path: string, site: Site): string {
  try {
    const value = compileExpression(path).template?.evaluate(site.scope, site.host);
    return `= ${short(encodeJson(value) ?? 'undefined', LONGEST_VALUE)}`;
  } catch {
    return 'is undefined';
  }
}

const short = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** Guards read nothing of the Env but the clock. */
function envAt({ at }: Event): Env {
  return { now: at, host: { now: () => at } } as unknown as Env;
}
