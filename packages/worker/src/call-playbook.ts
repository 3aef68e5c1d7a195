/** The `playbook` kind: starts a nested playbook once, parks until it ends, and returns its result. */
import {
  type ChildAnswer,
  encodeJson,
  failure,
  iterView,
  type Json,
  type JsonObject,
  type Outcome,
  plainNumber,
} from '@woof/net';
import type { Parked } from '@woof/tools';
import type { Performance } from './performance.ts';

type Running = Extract<ChildAnswer, { state: 'running' }>;
type Ended = Extract<ChildAnswer, { state: 'ended' }>;

export async function callPlaybook(
  performance: Performance,
  input: JsonObject,
  spec: JsonObject,
): Promise<Outcome | Parked> {
  const { port, assignment, taskRunId, locals } = performance;
  if (typeof input.path !== 'string') {
    return failure('schema', 'a playbook task needs "path": the file of the playbook');
  }
  const { version } = input;
  if (version !== undefined && version !== null && version !== 'latest') {
    const got = encodeJson(version);
    return failure('schema', `playbook: "version" can only be latest, the newest version, got ${got}`);
  }
  const args = { ...(input.payload as JsonObject | undefined), ...(input.args as JsonObject | undefined) };
  const asked = typeof input.return_step === 'string' ? { return_step: input.return_step } : {};
  const request = { path: input.path, args, iter: iterView(locals), key: taskRunId, ...asked };
  const answer = await port.child(assignment, request);
  if (answer.state === 'invalid') return failure('schema', answer.message);
  if (answer.state === 'running') return waitFor(performance, input.path, answer, plainNumber(spec.timeout));
  return outcomeOf(answer, input.path, asked.return_step !== undefined);
}

/** Parks until the child ends, its time is up, or it starts or stops waiting for a person. */
async function waitFor(
  performance: Performance,
  path: string,
  { execution_id: child, asks }: Running,
  seconds: number | undefined,
): Promise<Outcome | Parked> {
  const { port, pipeline } = performance;
  const parked: Parked = { status: 'parked', child, memo: { execution_id: child } };
  if (asks) {
    const reasons = asks.map(({ reason }) => reason).join('; ');
    parked.human = { reason: `nested playbook ${path}: ${reasons}`, asks: asks as unknown as Json };
  }
  if (seconds === undefined) return parked;
  const memo = pipeline.memo as { since?: number } | null;
  const since = memo?.since ?? port.host.now();
  const until = since + seconds * 1000;
  if (port.host.now() < until) return { ...parked, until, memo: { execution_id: child, since } };
  const message = `nested playbook ${path} took longer than its timeout of ${seconds} s`;
  await port.cancelChild(child, message);
  return failure('timeout', message, { details: { execution_id: child } });
}

function outcomeOf(answer: Ended, path: string, onlyResult: boolean): Outcome {
  const { execution_id, status } = answer;
  const result = answer.result as Json;
  if (status === 'succeeded')
    return { status: 'ok', result: onlyResult ? result : { execution_id, status, result } };
  const inner = answer.error ?? '';
  // When playbooks call each other, the innermost failure is enough.
  const message = inner.startsWith('nested playbook') ? inner : `nested playbook ${path} ${status}: ${inner}`;
  return {
    ...failure('exception', message, { details: { execution_id } }),
    result: { execution_id, status },
  };
}
