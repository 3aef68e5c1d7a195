/** What a task's policy makes of an outcome: the first rule that matches, with its values evaluated. */
import { compile } from '@woof/expr';
import { encodeJson, type Json, type JsonObject, plainNumber } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { Directive, Pipeline } from './pipeline.ts';
import type { PolicyRule, Task, Then } from './plan.ts';
import { holds, RenderError, render, renderObject, renderValue, type Site } from './render.ts';

const DEFAULT_ATTEMPTS = 3;
/** One second becomes 34 years. Further doublings end at infinity, and zero times infinity is not a number. */
const MOST_DOUBLINGS = 30;

/**
 * Rules that skip without reading the outcome are judged before the tool runs; so is `else` if no earlier rule reads
 * it.
 */
export function judgeBefore(task: Task, site: Site): Directive | undefined {
  const rules = task.rules ?? [];
  const elseSkips = rules.some(({ when, then }) => when === undefined && then.do === 'skip');
  return attempt(() => {
    let isElseMeant = true;
    for (const [index, rule] of rules.entries()) {
      const skips = rule.then.do === 'skip';
      if (rule.when === undefined)
        return skips && isElseMeant ? directiveOf(rule.then, index, site) : undefined;
      const isOpen = readsOutcome(rule);
      const matches = !isOpen && (skips || elseSkips) && holds(rule.when, site, `/rules/${index}/when`);
      if (matches && skips) return directiveOf(rule.then, index, site);
      if (matches || isOpen) isElseMeant = false;
    }
    return undefined;
  });
}

export function judge(task: Task, outcome: Outcome, pipeline: Pipeline, site: Site): Directive {
  if (task.rules === undefined) return { do: outcome.status === 'ok' ? 'continue' : 'fail' };
  const directive = attempt(() => {
    for (const [index, rule] of (task.rules ?? []).entries()) {
      if (skipsBeforehand(rule)) continue;
      if (holds(rule.when, site, `/rules/${index}/when`))
        return chosen(rule.then, index, pipeline, site, outcome);
    }
    return undefined;
  });
  if (directive?.error?.kind === 'template' && outcome.error) {
    directive.error.message += `; the task itself failed: ${outcome.error.message}`;
  }
  return directive ?? { do: 'continue' };
}

function skipsBeforehand(rule: PolicyRule): boolean {
  return rule.then.do === 'skip' && rule.when !== undefined && !readsOutcome(rule);
}

function readsOutcome({ when }: PolicyRule): boolean {
  return when !== undefined && compile(when).template?.names.has('outcome') === true;
}

function chosen(then: Then, index: number, pipeline: Pipeline, site: Site, outcome: Outcome): Directive {
  const directive = directiveOf(then, index, site);
  if (then.do !== 'retry') return directive;
  const executed = pipeline.attempt + 1;
  const attempts = numberAt(then.attempts ?? DEFAULT_ATTEMPTS, site, `/rules/${index}/then/attempts`);
  if (executed >= attempts) return outcome.error ? { do: 'fail', rule: index } : usedUp(index, executed);
  const delay = numberAt(then.delay ?? 0, site, `/rules/${index}/then/delay`);
  return { ...directive, delay_ms: Math.round(1000 * delay * backoffFactor(then.backoff, executed)) };
}

function usedUp(rule: number, attempts: number): Directive {
  const message = `all ${attempts} attempts are used, and a rule still says "do: retry"`;
  return { do: 'fail', rule, error: { kind: 'policy', retryable: false, message } };
}

function backoffFactor(backoff: Then['backoff'], executed: number): number {
  if (backoff === 'linear') return executed;
  if (backoff === 'exponential') return 2 ** Math.min(executed - 1, MOST_DOUBLINGS);
  return 1;
}

function directiveOf(then: Then, index: number, site: Site): Directive {
  const directive: Directive = { do: then.do, rule: index };
  if (then.to !== undefined) directive.to = then.to;
  for (const key of ['set_iter', 'set_vars', 'set_ctx', 'set_shared'] as const) {
    const patch = then[key];
    if (patch !== undefined)
      directive[key] = renderObject(patch as JsonObject, site, `/rules/${index}/then/${key}`);
  }
  if (then.set_prev !== undefined)
    directive.set_prev = render(then.set_prev, site, `/rules/${index}/then/set_prev`);
  return directive;
}

function numberAt(value: Json, site: Site, path: string): number {
  const rendered = renderValue(value, site, path);
  const number = typeof rendered === 'string' ? Number(rendered) : plainNumber(rendered);
  if (number !== undefined && Number.isFinite(number) && number >= 0) return number;
  const message = `expected ${path.slice(path.lastIndexOf('/') + 1)} to be a number of at least 0, got ${encodeJson(rendered)}`;
  throw new RenderError(
    String(value),
    site.path + path,
    0,
    0,
    `${message} (${site.path}${path})`,
    'expr/type',
  );
}

/** A rule that cannot be evaluated fails the pipeline: guessing a directive would hide the mistake. */
function attempt<T>(choose: () => T): T | Directive {
  try {
    return choose();
  } catch (error) {
    if (error instanceof RenderError) return { do: 'fail', error: error.toError() };
    throw error;
  }
}
