/** Tokens: admission, and the scheduling of a step run. Which tokens a join takes is in `join-modes.ts`. */
import type { Env } from './command.ts';
import { type Event, newEvent } from './event.ts';
import type { ScheduledData } from './event-data.ts';
import type { JsonObject } from './json.ts';
import { startLoop } from './loops.ts';
import { offloadEach } from './offload.ts';
import type { Step } from './plan.ts';
import { arcSource, indexOf } from './plan-index.ts';
import { policyQuestion } from './policy-hold.ts';
import { holds, RenderError, type Site } from './render.ts';
import { endExecution, eventView } from './routing.ts';
import { type Locals, StepScope } from './scope.ts';
import type { State, Token } from './state.ts';
import { argsOfRun } from './step-args.ts';

/** Admits the tokens and schedules the step, or denies them. */
export function admit(state: State, env: Env, tokens: Token[]): Event[] {
  const step = indexOf(state.plan).step(tokens[0]!.step);
  const args = argsOf(tokens);
  const ids = tokens.map((token) => token.id);
  try {
    const rule = step.admit.length > 0 ? admitting(state, env, step, tokens) : { allow: true };
    if (rule.allow) return schedule(state, env, step, args, ids);
    const isGraph = state.plan.failure === 'skip';
    const because = isGraph ? 'its condition is false' : 'its admission rules denied it';
    const denied = newEvent('token.denied', env.now, { step: step.name }, { tokens: ids, because });
    return isGraph ? [denied, ...leftWithout(state, env, step.name)] : [denied];
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    if (state.plan.failure === 'skip') return notBegun(state, env, step, ids, error);
    return endExecution(state, env, 'failed', { ...error.toError(), step: step.name });
  }
}

/** The step's fields cannot be evaluated, so it fails before it does anything. */
function notBegun(state: State, env: Env, step: Step, tokens: string[], error: RenderError): Event[] {
  const run = nextRun(state, step);
  return [
    newEvent('step.scheduled', env.now, run, { tokens }),
    newEvent('step.failed', env.now, run, { error: error.toError() }),
  ];
}

function nextRun(state: State, { name: step }: Step) {
  return { step, step_run_id: `${step}.${(state.steps.get(step)?.runs ?? 0) + 1}` };
}

/**
 * Steps that can no longer get a token because all steps that lead to them are skipped; others join what still arrives.
 */
function leftWithout(state: State, env: Env, denied: string): Event[] {
  const index = indexOf(state.plan);
  const skipped = new Set([denied]);
  const isSkipped = (name: string) => skipped.has(name) || state.steps.get(name)?.status === 'skipped';
  const because = `"${denied}" was skipped`;
  const events: Event[] = [];
  for (const name of skipped) {
    for (const { step } of index.step(name).next.arcs) {
      if (state.steps.has(step) || !index.incoming(step).every((arc) => isSkipped(arcSource(arc)))) continue;
      if (!skipped.has(step)) events.push(newEvent('step.skipped', env.now, { step }, { because }));
      skipped.add(step);
    }
  }
  return events;
}

/** If no rule matches, the token passes if all rules only deny; if a rule allows something, it does not pass. */
function admitting(state: State, env: Env, step: Step, tokens: Token[]): { allow: boolean } {
  const matching = step.admit.find(({ when }, index) =>
    holds(when, admissionSite(state, env, step, tokens, when), `/${index}/when`),
  );
  return matching ?? { allow: !step.admit.some((rule) => rule.allow) };
}

/** What an admission rule of a step sees when these tokens reach it. */
export function admissionSite(state: State, env: Env, step: Step, tokens: Token[], guard = ''): Site {
  const sent = tokens.at(-1)?.event;
  const { result, error } = (sent && state.steps.get(sent.step)) ?? {};
  const event = sent && eventView(sent, sent.name === 'step.failed' ? { error } : { result }, guard);
  const locals = { args: argsOf(tokens), ...(event ? { event } : {}) };
  return siteOf(state, env, step, locals, '/admit');
}

function argsOf(tokens: Token[]): JsonObject {
  return tokens.length === 1 ? tokens[0]!.args : Object.assign({}, ...tokens.map((token) => token.args));
}

function schedule(state: State, env: Env, step: Step, brought: JsonObject, tokens: string[]): Event[] {
  const run = nextRun(state, step);
  const passed = tokens.length > 1 ? offloadEach(brought, env) : brought;
  const hasPassed = Object.keys(passed).length > 0;
  try {
    const own = argsOfRun(step, siteOf(state, env, step, { args: passed }, ''));
    const args = own ? offloadEach({ ...passed, ...own }, env) : passed;
    const data: ScheduledData = { tokens };
    if (own) Object.assign(data, { args, passed });
    else if (hasPassed) data.args = args;
    if (step.hold) data.held = policyQuestion(state.execution_id, step.name, step.hold);
    const scheduled = newEvent('step.scheduled', env.now, run, data);
    if (step.loop === undefined) return [scheduled];
    const started = startLoop(state, env, { step: step.name, run: run.step_run_id, args, depth: 0 });
    if ('name' in started) return [scheduled, started];
    return [scheduled, newEvent('step.failed', env.now, run, { error: started })];
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return notBegun(state, env, step, tokens, error);
  }
}

function siteOf(state: State, env: Env, step: Step, locals: Locals, path: string): Site {
  const full = state.iter ? { ...locals, callerIter: state.iter } : locals;
  return { plan: state.plan, scope: new StepScope(state, full), host: env.host, path: step.name + path };
}
