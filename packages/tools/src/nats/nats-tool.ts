/** One NATS operation. Connections stay open between tasks. Retries are up to the policy. */
import { failure, type Outcome, sizeFailure } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { FieldFault } from '../fields.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { untilAborted } from '../until-aborted.ts';
import { placeOf } from './nats-address.ts';
import { natsFailure } from './nats-failure.ts';
import { NatsAbsence, NatsTooLarge, OPERATIONS } from './nats-operations.ts';
import { NatsPool } from './nats-pool.ts';
import { natsSchema } from './nats-schema.ts';
import { toTask } from './nats-task.ts';

export function createNatsTool(): Tool {
  const pool = new NatsPool();
  return {
    schema: natsSchema,
    run: (call, context) => settle('nats', context.signal, () => perform(call, context, pool)),
    close: () => pool.close(),
  };
}

async function perform(call: ToolCall, context: ToolContext, pool: NatsPool): Promise<Outcome> {
  const task = toTask(call);
  const deadline = new Deadline(context.signal, task.seconds);
  const { signal } = deadline;
  const place = `nats ${placeOf(task.address)}: ${task.operation}`;
  const work = async () => {
    const connection = await pool.connection(task.address, task.seconds);
    return OPERATIONS[task.operation]({ task, connection, blobs: context.blobs, signal });
  };
  try {
    return { status: 'ok', result: await untilAborted(signal, work()) };
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    if (deadline.passed) return failure('timeout', `${place}: did not finish within ${task.seconds} s`);
    if (error instanceof FieldFault) throw error;
    if (error instanceof NatsAbsence) return failure('not_found', `${place}: ${error.message}`);
    if (error instanceof NatsTooLarge) return sizeFailure(`${place}: ${error.message}`);
    return natsFailure(error, task.address, task.operation);
  } finally {
    deadline.clear();
  }
}
