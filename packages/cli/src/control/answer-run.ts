/**
 * approve and reject: a person answers a waiting step. The process that drives the run continues it; if there is none,
 * this process does, to the run's end or its next gate.
 */

import { userInfo } from 'node:os';
import { outermostRow } from '@woof/engine';
import {
  type AnswerStep,
  isEnded,
  notWaiting,
  questionsAt,
  questionsOf,
  type State,
  WAITING_FOR_APPROVAL,
  whoMustAnswer,
} from '@woof/net';
import { answerRefusalText } from '@woof/protocol';
import { type DriveFlags, drive } from '../drive.ts';
import { type HomeFlags, serverOf } from '../home-flags.ts';
import { stateOf, withRun } from '../open-run.ts';
import type { Runtime } from '../runtime.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { checkStep } from '../verbs/why.ts';
import { adoptRun } from './adopt-run.ts';
import { askedBy } from './asked-by.ts';
import { reachDriver } from './reach-driver.ts';

export type AnswerFlags = DriveFlags & HomeFlags & { note?: string; by?: string; override?: true };
type Answer = Omit<AnswerStep, 'type'>;

export async function answerRun(
  [word = '', step]: readonly string[],
  approved: boolean,
  flags: AnswerFlags,
): Promise<number> {
  if (serverOf(flags))
    return (await import('../remote/command-remote.ts')).answerRemote(word, step, approved, flags);
  const { row, root, folder, state } = await withRun(word, flags, async ({ home, row }) => ({
    row,
    root: await outermostRow(home.store, row),
    folder: home.name,
    state: await stateOf({ home, row }),
  }));
  const id = row.execution_id;
  if (step !== undefined && !state.jobs.has(step) && !isEnded(state)) checkStep(state, step);
  const waiting = step === undefined ? questionsOf(state) : questionsAt(state, step);
  if (waiting.length === 0) return refuse(state, step, flags);
  const asked = askedBy(state, step);
  if (asked.execution_id !== id) return answerRun([asked.execution_id, asked.step], approved, flags);
  const answer: Answer = {
    step: asked.step,
    approved,
    by: flags.by ?? userInfo().username,
    ...(flags.note === undefined ? {} : { note: flags.note }),
    ...(flags.override ? { override: true } : {}),
  };
  const { approvers } = waiting.find((each) => each.step === asked.step) ?? waiting[0]!;
  // At a server the name is that of the token.
  const isStranger = approvers !== undefined && !approvers.includes(answer.by!);
  const request = { verb: 'answer' as const, execution_id: id, answer };
  const reached = await reachDriver(folder, request, {
    here: async () =>
      isStranger
        ? refuseStranger(id, answer, approvers, flags.json)
        : drive({ id: root.execution_id, file: root.file }, flags, (runtime) =>
            goOn(runtime, root.execution_id, id, answer),
          ),
    atServer: async (server) =>
      (await import('../remote/command-remote.ts')).answerRemote(id, asked.step, approved, {
        ...flags,
        ...server,
      }),
  });
  if ('done' in reached) return reached.done;
  const { ok, pid, message } = reached.answer;
  if (flags.json) console.log(JSON.stringify({ execution_id: id, ok, pid, message }));
  else console.error(`${id}: ${message} (process ${pid} continues the run)`);
  return ok ? 0 : 1;
}

function refuse(state: State, step: string | undefined, { json }: AnswerFlags): number {
  const { execution_id: id, status } = state;
  const nothing =
    step === undefined ? `no step of ${id} is ${WAITING_FOR_APPROVAL}` : notWaiting(state, step);
  const message = isEnded(state) ? `the run ${id} has ended: ${status}` : nothing;
  if (!json) throw new UserError(message, `see: woof ${isEnded(state) ? 'show' : 'why'} ${id}`);
  console.log(JSON.stringify({ execution_id: id, ok: false, message }));
  return 1;
}

function refuseStranger(id: string, answer: Answer, approvers: readonly string[], json = false): number {
  const { step, approved, by = '' } = answer;
  const message = harmless(`${by} may not answer "${step}"`);
  const verb = approved ? 'approve' : 'reject';
  const command = `woof ${verb} ${id} ${step} --by ${approvers[0]}`;
  const fix = harmless(`${whoMustAnswer(approvers)}: ${command}`);
  if (!json) throw new UserError(message, fix);
  console.log(JSON.stringify({ execution_id: id, ok: false, message: `${message}; ${fix}` }));
  return 1;
}

async function goOn(runtime: Runtime, root: string, id: string, answer: Answer): Promise<State> {
  const adopted = await adoptRun(runtime, root);
  const state = runtime.engine.stateOf(id);
  if (adopted === undefined || state === undefined || isEnded(adopted))
    throw new UserError(`the run ${root} has ended`, `to run it again: woof rerun ${root}`);
  const refusal = await runtime.engine.command(id, { type: 'AnswerStep', ...answer });
  if (refusal !== undefined)
    throw new UserError(answerRefusalText(refusal, state, answer), `see: woof why ${id}`);
  return runtime.engine.finished(root);
}
