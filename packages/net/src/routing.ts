/** Routing: which arcs fire when a step run ends, and what happens after a failure without an arc. */
import { compile } from '@woof/expr';
import type { Env } from './command.ts';
import { type Event, type EventOf, newEvent } from './event.ts';
import type { FinishedData } from './event-data.ts';
import { grownLists } from './grown-lists.ts';
import { joinOf } from './join-modes.ts';
import type { Json, JsonObject } from './json.ts';
import { offloadEach } from './offload.ts';
import type { TaskError } from './pipeline.ts';
import type { Arc, Step } from './plan.ts';
import { arcKey, indexOf } from './plan-index.ts';
import { holds, RenderError, renderObject, type Site } from './render.ts';
import { type Locals, StepScope } from './scope.ts';
import { type BoundaryEvent, type ExecutionError, runOf, type State, type StepRun } from './state.ts';

/** Event names that guards written for the first implementation compare with. */
const ALIASES: Record<string, BoundaryEvent['name']> = {
  'call.done': 'step.done',
  'step.exit': 'step.done',
  'call.error': 'step.failed',
};

export function route(state: State, env: Env, runId: string): Event[] {
  const run = runOf(state, runId);
  const step = indexOf(state.plan).step(run.step);
  try {
    if (step.setCtx && run.ended!.event !== 'step.failed' && !run.patched) {
      const patch = renderObject(step.setCtx, arcSite(state, env, run, `${step.name}/set_ctx`));
      const grown = grownLists(patch, state.ctx, env);
      const data = { patch: offloadEach(grown, env), of_step: true } as const;
      return [newEvent('ctx.patched', env.now, { step: step.name, step_run_id: run.id }, data)];
    }
    return fire(state, env, run, step);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return endExecution(state, env, 'failed', { ...error.toError(), step: step.name });
  }
}

function fire(state: State, env: Env, run: StepRun, step: Step): Event[] {
  const boundary = run.ended!.event;
  const about = { step: step.name, step_run_id: run.id };
  const selected = selectArcs(state, env, run, step);
  const chosen = selected.map(({ arc }) => arc.step);
  const evaluated = newEvent('next.evaluated', env.now, about, { event: boundary, selected: chosen });
  if (boundary === 'step.failed' && selected.length === 0) {
    return [evaluated, ...unroutedFailure(state, env, run, step)];
  }
  let number = state.tokenCount;
  const tokens = selected.flatMap(({ arc, index }): Event[] => {
    const enqueued = tokenOver(state, env, run, arc, index, ++number);
    const because = joinOf(state, arc.step).refuses(state, arc.step);
    return because === undefined ? [enqueued] : [enqueued, dropped(enqueued, because, env)];
  });
  return [evaluated, ...tokens];
}

function selectArcs(state: State, env: Env, run: StepRun, step: Step): { arc: Arc; index: number }[] {
  const selected: { arc: Arc; index: number }[] = [];
  for (const [index, arc] of step.next.arcs.entries()) {
    if (!arcMatches(state, env, run, arc, index)) continue;
    selected.push({ arc, index });
    if (step.next.mode === 'exclusive') break;
  }
  return selected;
}

type Enqueued = EventOf<'token.enqueued'>;

/** It is recorded all the same, because a rerun adopts it. */
function dropped(enqueued: Enqueued, because: string, env: Env): Event {
  const data = { token: enqueued.data.token, because };
  return newEvent('token.dropped', env.now, { step: enqueued.step }, data);
}

function arcMatches(state: State, env: Env, run: StepRun, arc: Arc, index: number): boolean {
  if (run.ended!.event === 'step.failed' && isForSuccess(arc)) return false;
  return holds(arc.when, arcSite(state, env, run, `${run.step}/next/${index}`, arc.when), '/when');
}

/** After a failure only guards that read `event` count. */
export function isForSuccess({ when }: Arc): boolean {
  return when === undefined || !compile(when).template?.names.has('event');
}

function tokenOver(state: State, env: Env, run: StepRun, arc: Arc, index: number, number: number): Enqueued {
  const passed = run.passed ?? run.args;
  const args = arc.args
    ? offloadEach({ ...passed, ...arcArgs(state, env, run, arc.args, index) }, env)
    : passed;
  const data = {
    token: `t${number}`,
    ...(Object.keys(args).length > 0 ? { args } : {}),
    arc: arcKey(run.step, index),
    event: run.ended!.event,
  };
  return newEvent('token.enqueued', env.now, { step: arc.step }, data);
}

function arcArgs(state: State, env: Env, run: StepRun, args: JsonObject, index: number): JsonObject {
  const site = arcSite(state, env, run, `${run.step}/next/${index}`);
  return renderObject(args, site, '/args');
}

function unroutedFailure(state: State, env: Env, run: StepRun, step: Step): Event[] {
  const error: ExecutionError = { ...run.ended!.error!, step: step.name };
  if (state.plan.failure === 'route') return endExecution(state, env, 'failed', error, run.id);
  const because = `"${step.name}" failed`;
  const untouched = [...indexOf(state.plan).descendants(step.name)].filter((name) => !state.steps.has(name));
  return untouched.flatMap((name): Event[] => [
    ...(state.waiting.get(name) ?? []).map((token) =>
      newEvent('token.dropped', env.now, { step: name }, { token, because }),
    ),
    newEvent('step.skipped', env.now, { step: name }, { because }),
  ]);
}

/** Ends the execution: what is running is cancelled, and what is waiting is dropped. */
export function endExecution(
  state: State,
  env: Env,
  status: 'failed' | 'cancelled',
  error: ExecutionError,
  except?: string,
): Event[] {
  const because = status === 'cancelled' ? 'the run was cancelled' : failedBy(error);
  const at = env.now;
  const events: Event[] = [];
  for (const run of state.runs.values()) {
    if (run.id === except) continue;
    const about = { step: run.step, step_run_id: run.id };
    events.push(
      run.ended
        ? newEvent('next.evaluated', at, about, { event: run.ended.event, selected: [] })
        : newEvent('step.cancelled', at, about, { because }),
    );
  }
  for (const token of state.tokens.values()) {
    const why = token.step === error.step ? error.message : because;
    events.push(newEvent('token.dropped', at, { step: token.step }, { token: token.id, because: why }));
  }
  return [...events, ...finish(env, { status, error })];
}

const failedBy = ({ step }: ExecutionError): string =>
  step === undefined ? 'the run failed' : `"${step}" failed`;

export function finish(env: Env, data: FinishedData): Event[] {
  return [
    newEvent('workflow.finished', env.now, {}, data),
    newEvent('playbook.processed', env.now, {}, { status: data.status }),
  ];
}

export function arcSite(state: State, env: Env, run: StepRun, path: string, guard = ''): Site {
  const summary = state.steps.get(run.step);
  const result = summary?.result ?? null;
  const ended = run.ended!;
  const event = eventView({ name: ended.event, step: run.step }, { result, error: ended.error }, guard);
  const locals: Locals = { args: run.args, prev: result, event };
  if (state.iter) locals.callerIter = state.iter;
  if (summary?.stats) locals.loop = { ...summary.stats, length: summary.stats.total, done: true };
  return { plan: state.plan, scope: new StepScope(state, locals), host: env.host, path };
}

/** The event that ended a step, as templates see it. */
export function eventView(
  { name, step }: BoundaryEvent,
  { result, error }: { result?: Json | undefined; error?: TaskError | undefined },
  guard: string,
): NonNullable<Locals['event']> {
  const payload = error ? { error, status: 'error' } : { result: result ?? null, status: 'ok' };
  return { name: eventNameFor(guard, name), step, payload: payload as unknown as JsonObject };
}

/** A guard that uses an alias of this event is compared with that alias. */
export function eventNameFor(guard: string, name: BoundaryEvent['name']): string {
  const alias = Object.keys(ALIASES).find((key) => ALIASES[key] === name && guard.includes(key));
  return alias ?? name;
}
