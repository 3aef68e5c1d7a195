/**
 * Runs an execution again and reuses what it can, or reports what it would reuse.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import { rerunHistory, sourceOf, workloadFault } from '@woof/engine';
import {
  adoptionFrom,
  asData,
  encodeJson,
  type JsonObject,
  type Plan,
  planRerun,
  type State,
} from '@woof/net';
import { Problem } from '@woof/protocol';
import { type ExecutionRow, loaded } from '@woof/stores';
import type { Call } from '../handler.ts';
import { missingSecret } from '../missing-secret.ts';
import type { Parts } from '../parts.ts';
import { storedText } from '../stored-text.ts';
import { rowOf, stateOf } from './execution-of.ts';

export async function rerun(
  parts: Parts,
  { params: { id }, body = {}, headers, who, reply }: Call<'executions.rerun'>,
) {
  const row = await rowOf(parts, id);
  const before = body.payload || body.version ? await wholeState(parts, id) : await stateOf(parts, id);
  const document = body.version === undefined ? undefined : await versionOf(parts, row, body.version);
  const { plan = before.plan } = document ?? {};
  if (body.from !== undefined && !plan.steps.some(({ name }) => name === body.from))
    throw new Problem('not-found', `the document has no step "${body.from}"`);
  const workload = workloadOf(before, plan, body.payload);
  const planned = planRerun(before, { from: body.from, plan, workload });
  if (body.dry_run) {
    reply.code(200);
    return { reused: planned.reused, runs: planned.runs, problems: await problemsOf(parts, plan, workload) };
  }
  const adopt = adoptionFrom(before, await rerunHistory(parts.store, id), planned);
  const kept = document ? {} : pick(await sourceOf(parts.store, id), 'document');
  const file = document?.file ?? row.file;
  const source = { by: who.name, ...(file === undefined ? {} : { file }), ...kept };
  const more = { adopt, ...(before.iter && { iter: before.iter }) };
  const once = { token: who.id, key: headers['idempotency-key'], asked: { id, ...body } };
  const text = document ? { text: document.text } : {};
  const request = { plan, source, workload, granted: before.granted, more, ...text };
  return { ...(await parts.starter.start(request, once)), diagnostics: [] };
}

/** With the values of the workload: what changed is found by comparing them. */
async function wholeState(parts: Parts, id: string): Promise<State> {
  const state = await stateOf(parts, id);
  const workload = await loaded(state.workload, (reference) => storedText(parts, reference));
  return { ...state, workload: workload as JsonObject };
}

async function versionOf({ catalogue }: Parts, { path, execution_id: id }: ExecutionRow, version: string) {
  if (path === undefined)
    throw new Problem(
      'request/conflict',
      `execution ${id} has no version: its document has no metadata.path`,
    );
  const { text, file } = await catalogue.get(path, version);
  return { text, file, plan: catalogue.runnable(text, file).plan };
}

/** Values that the caller gave to the run stay. Defaults come from the version of the document that runs now. */
function workloadOf(before: State, plan: Plan, payload: JsonObject | undefined): JsonObject {
  const given = Object.entries(before.workload).filter(
    ([key, value]) => plan === before.plan || !isDefault(before.plan, key, value),
  );
  return {
    ...(plan === before.plan ? {} : asData(plan.workload)),
    ...Object.fromEntries(given),
    ...asData(payload ?? {}),
  };
}

function isDefault({ workload }: Plan, key: string, value: unknown): boolean {
  return Object.hasOwn(workload, key) && encodeJson(workload[key]) === encodeJson(value);
}

async function problemsOf({ secrets }: Parts, plan: Plan, workload: JsonObject): Promise<string[]> {
  const missing = plan.keychain.length > 0 ? missingSecret(plan, await secrets.list()) : undefined;
  return [workloadFault(workload), missing].filter((problem) => problem !== undefined);
}

const pick = (source: Record<string, string>, key: string) =>
  source[key] === undefined ? {} : { [key]: source[key] };
