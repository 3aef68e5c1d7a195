/**
 * Executions: start and read. Lists are in execution-lists.ts, calls that change an execution in commands.ts, and calls
 * that read the output of its tasks in logs.ts.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import { accountOf, type Envelope, explain, type State, toEnvelope, toSnapshot } from '@woof/net';
import { Problem } from '@woof/protocol';
import { type ExecutionRow, loaded } from '@woof/stores';
import { untilRevoked } from '../access/until-revoked.ts';
import { EventStream } from '../event-stream.ts';
import type { Call, Handlers } from '../handler.ts';
import { jobsOf } from '../jobs.ts';
import type { Parts } from '../parts.ts';
import { SseResponse } from '../sse-response.ts';
import { stepRuns } from '../step-runs.ts';
import { storedText } from '../stored-text.ts';
import { commands } from './commands.ts';
import { executionLists } from './execution-lists.ts';
import { checkStep, rowOf, stateOf } from './execution-of.ts';
import { input } from './input.ts';
import { logs } from './logs.ts';
import { report } from './report.ts';
import { sourceOfRun } from './source.ts';

const PAGE = 100;
const MOST_CHILDREN = 1000;

export function executions(parts: Parts): Handlers<'executions'> {
  const { store } = parts;
  const row = (id: string) => rowOf(parts, id);
  const state = (id: string) => stateOf(parts, id);
  return {
    ...commands(parts),
    ...executionLists(parts),
    'executions.start': (call) => start(parts, call),
    'executions.get': async ({ params: { id } }) => {
      const [known, now] = [await row(id), await state(id)];
      const children = await store.executions({ parent: id, limit: MOST_CHILDREN });
      return shown(known, now, children) as never;
    },
    'executions.row': ({ params: { id } }) => row(id),
    'executions.state': async ({ params: { id } }) => {
      const now = await state(id);
      return { seq: now.seq, state: toSnapshot(now) };
    },
    'executions.events': (call) => events(parts, call),
    'executions.result': (call) => result(parts, call),
    'executions.input': (call) => input(parts, call),
    'executions.logs': (call) => logs(parts, call),
    'executions.source': ({ params: { id } }) => sourceOfRun(parts, id),
    'executions.report': (call) => report(parts, call),
    'executions.why': async ({ params: { id }, query: { step } }) => {
      const now = await state(id);
      if (step !== undefined) checkStep(now, step);
      const reasons = explain(now).filter((each) => step === undefined || each.step === step);
      return { execution_id: id, status: now.status, reasons };
    },
    'executions.jobs': (call) => jobs(parts, call),
    'executions.step-runs': async ({ params: { id } }) => {
      await row(id);
      return { step_runs: await stepRuns(store, id) };
    },
  };
}

async function start(parts: Parts, { body, headers, who }: Call<'executions.start'>) {
  const { catalogue, starter } = parts;
  const { path, version, payload, allow, priority } = body;
  const document = path === undefined ? undefined : await catalogue.get(path, version);
  const file = body.file ?? document?.file;
  const text = document?.text ?? body.text!;
  const { plan, diagnostics } = catalogue.runnable(text, file);
  const request = {
    plan,
    text,
    // Workers have their own folders: what a client says about its disk means nothing to them.
    source: {
      by: who.name,
      ...(file === undefined ? {} : { file }),
      ...(headers.traceparent === undefined ? {} : { traceparent: headers.traceparent }),
    },
    workload: { ...plan.workload, ...payload },
    ...(allow === undefined ? {} : { granted: { ...allow } as Record<string, boolean> }),
    ...(priority === undefined ? {} : { more: { priority } }),
  };
  const once = { token: who.id, key: headers['idempotency-key'], asked: body };
  return { ...(await starter.start(request, once)), diagnostics };
}

async function events(parts: Parts, call: Call<'executions.events'>) {
  const { params, query, headers, raw, reply, signal, who } = call;
  const { id } = params;
  await rowOf(parts, id);
  const { from = Number(headers['last-event-id'] ?? 0), limit = PAGE } = query;
  if (!raw.headers.accept?.includes('text/event-stream')) return page(parts, id, from, limit);
  const allowed = untilRevoked(parts.tokens, who.id, signal);
  try {
    const response = SseResponse.begin(reply, parts.listenerMs);
    await new EventStream(parts, id, response).run(from, allowed.signal);
  } finally {
    allowed.end();
  }
  return undefined;
}

async function page({ store }: Parts, id: string, from: number, limit: number) {
  const found: Envelope[] = [];
  for await (const frame of store.read(id, from)) {
    const skip = Math.max(0, from - frame.from);
    for (const [index, event] of frame.events.entries()) {
      if (index < skip) continue;
      if (found.length === limit) return { events: found, next: from + limit };
      found.push(toEnvelope(event, id, frame.from + index + 1));
    }
  }
  return { events: found };
}

async function jobs(parts: Parts, { params: { id }, query }: Call<'executions.jobs'>) {
  const { after, limit = PAGE } = query;
  const { plan } = await stateOf(parts, id);
  const all = await jobsOf(parts.store, id, plan, await parts.store.members('worker'));
  const from = after === undefined ? 0 : all.findIndex(({ job_id }) => job_id === after) + 1;
  const found = all.slice(from, from + limit);
  return { jobs: found, ...(from + limit < all.length ? { next: found.at(-1)!.job_id } : {}) };
}

async function result(parts: Parts, { params: { id }, query }: Call<'executions.result'>) {
  const { step, load } = query;
  const state = await stateOf(parts, id);
  if (step !== undefined) checkStep(state, step);
  const { status, result: value } = step === undefined ? state : accountOf(state).steps[step]!;
  if (value === undefined)
    throw new Problem('request/conflict', `there is no result; the status is ${status}`);
  const whole = load === false ? value : await loaded(value, (reference) => storedText(parts, reference));
  return { execution_id: id, ...(step === undefined ? {} : { step }), status, result: whole };
}

function shown(row: ExecutionRow, state: State, children: readonly ExecutionRow[]) {
  const { steps, error } = accountOf(state);
  return {
    ...row,
    steps,
    ...(error ? { failure: error } : {}),
    result: state.result,
    workload: state.workload,
    ctx: state.ctx,
    events: state.seq,
    children: children.map(({ execution_id, name, status }) => ({ execution_id, name, status })),
  };
}
