/**
 * Commands to an existing execution.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import type { Command, Refusal } from '@woof/net';
import { answerRefusalText, Problem, refusalText } from '@woof/protocol';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';
import { rowOf, stateOf } from './execution-of.ts';
import { rerun } from './rerun.ts';

type Names = `executions.${'cancel' | 'pause' | 'resume' | 'approve' | 'reject' | 'rerun'}`;

export function commands(parts: Parts): Pick<Handlers<'executions'>, Names> {
  return {
    'executions.cancel': ({ params, body, who }) => {
      const reason = body?.reason ?? `cancelled by ${who.name}`;
      return commanded(parts, params.id, { type: 'CancelExecution', reason }, 'cancelled');
    },
    'executions.pause': ({ params, who }) =>
      commanded(parts, params.id, { type: 'PauseExecution', by: who.name }, 'paused'),
    'executions.resume': ({ params, who }) =>
      commanded(parts, params.id, { type: 'ResumeExecution', by: who.name }, 'resumed'),
    'executions.approve': ({ params, body, who }) => answer(parts, params.id, true, body, who.name),
    'executions.reject': ({ params, body, who }) => answer(parts, params.id, false, body, who.name),
    'executions.rerun': (call) => rerun(parts, call),
  };
}

interface Said {
  step: string;
  note?: string | undefined;
  override?: true | undefined;
}

async function answer(
  parts: Parts,
  id: string,
  approved: boolean,
  { step, note, override }: Said,
  by: string,
) {
  await rowOf(parts, id);
  const refusal = await parts.engine.command(id, {
    type: 'AnswerStep',
    step,
    approved,
    by,
    ...(note === undefined ? {} : { note }),
    ...(override ? { override } : {}),
  });
  if (refusal !== undefined)
    throw new Problem('request/conflict', answerRefusalText(refusal, await stateOf(parts, id), { step, by }));
  return { execution_id: id, ok: true as const, message: `${step} ${approved ? 'approved' : 'rejected'}` };
}

async function commanded(parts: Parts, id: string, command: Command, message: string) {
  await rowOf(parts, id);
  const refusal = await commandFamily(parts, id, command);
  if (refusal !== undefined) throw new Problem('request/conflict', refusalText(refusal));
  return { execution_id: id, ok: true as const, message };
}

/** Pausing a caller pauses the runs that it called. Cancelling needs no help: when a caller ends, its children end. */
async function commandFamily(parts: Parts, id: string, command: Command): Promise<Refusal | undefined> {
  const { engine, store } = parts;
  const refusal = await engine.command(id, command);
  if (refusal !== undefined || command.type === 'CancelExecution') return refusal;
  const called = await store.executions({ parent: id, status: ['running', 'paused'] });
  for (const child of called) await commandFamily(parts, child.execution_id, command);
  return undefined;
}
