/**
 * Which guards kept a step from running, and what they read: what `woof why` adds to its reasons.
 *
 * Found by inspecting each event before it is folded, in the state in which it was decided. So no run pays for it, and
 * the values of that moment are still there. No secrets appear here: guards cannot see any.
 */
import { compile, compileExpression, type Reference, TemplateError } from '@woof/expr';
import type { Env } from './command.ts';
import type { Event, EventOf } from './event.ts';
import { encodeJson, isObject } from './json.ts';
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

/** The value of a reference. Throws a BlobError if it cannot be loaded. */
export type LoadValue = (reference: Reference) => unknown;

export function keptBackBy(state: State, event: Event, load?: LoadValue): KeptBack[] {
  const env = envAt(event, load);
  if (event.name === 'next.evaluated') return arcsNotTaken(state, event, env);
  return event.name === 'token.denied' ? [denial(state, event, env)] : [];
}

function arcsNotTaken(state: State, event: EventOf<'next.evaluated'>, env: Env): KeptBack[] {
  const run = state.runs.get(event.step_run_id!);
  if (run?.ended === undefined) return [];
  const { next } = indexOf(state.plan).step(run.step);
  const refusals: KeptBack[] = [];
  let taken: Arc | undefined;
  for (const [index, arc] of next.arcs.entries()) {
    const why = taken
      ? `the arc to "${taken.step}" comes first and was taken`
      : notTaken(state, { event, env }, run, index);
    if (why === undefined) taken = next.mode === 'exclusive' ? arc : undefined;
    else refusals.push({ step: arc.step, from: run.step, why: `arc from "${run.step}": ${why}` });
  }
  return refusals;
}

interface Moment {
  event: EventOf<'next.evaluated'>;
  env: Env;
}

/** Undefined if the arc was taken. */
function notTaken(state: State, { event, env }: Moment, run: StepRun, index: number): string | undefined {
  const arc = indexOf(state.plan).step(run.step).next.arcs[index]!;
  if (isForSuccess(arc) && run.ended!.event === 'step.failed')
    return `it applies only to success, and "${run.step}" failed`;
  if (arc.when === undefined) return undefined;
  const site = arcSite(state, env, run, `${run.step}/next/${index}`, arc.when);
  const isTrue = judged(arc.when, site) ?? event.data.selected.includes(arc.step);
  return isTrue ? undefined : isFalse(arc.when, site);
}

function denial(state: State, event: EventOf<'token.denied'>, env: Env): KeptBack {
  const step = indexOf(state.plan).step(event.step!);
  const tokens = event.data.tokens.flatMap((id) => state.tokens.get(id) ?? []);
  const siteOf = (when: string) => admissionSite(state, env, step, tokens, when);
  return { step: step.name, from: step.name, why: deniedBy(step, siteOf) };
}

function deniedBy({ admit }: Step, siteOf: (when: string) => Site): string {
  const isTrue = admit.map(({ when }) => when === undefined || judged(when, siteOf(when)) === true);
  const [matching, at] = [admit[isTrue.indexOf(true)], isTrue.indexOf(true)];
  if (matching?.when !== undefined)
    return `rule ${at + 1} denies it: ${isRight(matching.when, siteOf(matching.when))}`;
  const open = admit.flatMap(({ when, allow }) =>
    allow && when !== undefined ? [isFalse(when, siteOf(when))] : [],
  );
  return open.join('; ') || 'no rule allows it';
}

const isFalse = (when: string, site: Site): string =>
  `${short(onOneLine(when), LONGEST_GUARD)} is false${readBy(when, site)}`;
const isRight = (when: string, site: Site): string =>
  `${short(onOneLine(when), LONGEST_GUARD)} is true${readBy(when, site)}`;

const onOneLine = (code: string): string => code.trim().replaceAll(/\s*\n\s*/g, ' ');

function judged(when: string, site: Site): boolean | undefined {
  try {
    return holds(when, site);
  } catch (error) {
    if (error instanceof RenderError) return undefined;
    throw error;
  }
}

function readBy(when: string, site: Site): string {
  const spans = [...(compile(when).template?.paths.values() ?? [])];
  const paths = spans.map(({ start, end }) => when.slice(start, end));
  if (paths.length === 0) return '';
  const values = paths.slice(0, MOST_VALUES).map((path) => `${onOneLine(path)} ${readAs(path, site)}`);
  return ` (${values.join(', ')}${paths.length > MOST_VALUES ? ', …' : ''})`;
}

function readAs(path: string, site: Site): string {
  try {
    return `= ${shown(compileExpression(path).template?.evaluate(site.scope, site.host))}`;
  } catch (error) {
    return error instanceof TemplateError && error.code === 'expr/host' ? 'is not loaded' : 'is undefined';
  }
}

function shown(value: unknown): string {
  const text = encodeJson(beginning(value)) ?? 'undefined';
  const items = Array.isArray(value) && text.length > LONGEST_VALUE ? ` (${value.length} items)` : '';
  return short(text, LONGEST_VALUE) + items;
}

/**
 * The part of a value that is enough for the text shown: `woof why` inspects every guard of a run, and a value may be
 * large. Each part is at least one character, so the text is either whole or too long to be shown whole.
 */
function beginning(value: unknown): unknown {
  let left = LONGEST_VALUE + 1;
  return cut(value);

  function cut(part: unknown): unknown {
    left -= 1;
    if (typeof part === 'string') return part.slice(0, LONGEST_VALUE + 1);
    if (Array.isArray(part)) return part.slice(0, Math.max(left, 0)).map(cut);
    if (!isPlain(part)) return part;
    const keys = Object.keys(part).slice(0, Math.max(left, 0));
    return Object.fromEntries(keys.map((key) => [key, cut(part[key])]));
  }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

const short = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** Guards read nothing of the Env but the clock and stored values. */
function envAt({ at }: Event, load: LoadValue | undefined): Env {
  return { now: at, host: { now: () => at, ...(load && { load }) } } as unknown as Env;
}
