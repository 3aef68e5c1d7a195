/** The `playbook` kind: starts a nested playbook once, parks until it ends, gives its result. */
import { failure, iterView, type Json, type JsonObject, type Outcome } from '@woof/net';
import type { Parked } from '@woof/tools';
import type { Performance } from './perform.ts';

export async function callPlaybook(performance: Performance, input: JsonObject): Promise<Outcome | Parked> {
  const { port, assignment, taskRunId, locals } = performance;
  if (typeof input.path !== 'string')
    return failure('schema', 'a playbook task needs "path": the file of the playbook');
  const args = { ...(input.payload as JsonObject | undefined), ...(input.args as JsonObject | undefined) };
  const asked = typeof input.return_step === 'string' ? { return_step: input.return_step } : {};
  const request = { path: input.path, args, iter: iterView(locals), key: taskRunId, ...asked };
  const answer = await port.child(assignment, request);
  if (answer.state === 'invalid') return failure('schema', answer.message);
  const { execution_id } = answer;
  if (answer.state === 'running') return { status: 'parked', child: execution_id, memo: { execution_id } };
  const result = answer.result as Json;
  if (answer.status === 'succeeded') {
    return {
      status: 'ok',
      result: asked.return_step ? result : { execution_id, status: answer.status, result },
    };
  }
  const message = `nested playbook ${input.path} ${answer.status}: ${answer.error ?? ''}`;
  return {
    ...failure('exception', message, { details: { execution_id } }),
    result: { execution_id, status: answer.status },
  };
}
