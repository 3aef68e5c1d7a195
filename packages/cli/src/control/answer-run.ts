/**
 * approve and reject: a person answers a step that waits. The process that drives the run goes on with it; where there
 * is none, this one does, to the run's end or its next gate.
 */

import { userInfo } from 'node:os';
import {
  type AnswerStep,
  isEnded,
  notWaiting,
  questionsAt,
  questionsOf,
  type Refusal,
  type State,
} from '@woof/net';
import { refusalText } from '@woof/protocol';
import { type DriveFlags, drive } from '../drive.ts';
import { type HomeFlags, serverOf } from '../home-flags.ts';
import { outermostRow, stateOf, withRun } from '../open-run.ts';
import type { Runtime } from '../runtime.ts';
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
  const request = { verb: 'answer' as const, execution_id: id, answer };
  const reached = await reachDriver(folder, request, {
    here: () =>
      drive({ id: root.execution_id, file: root.file }, flags, (runtime) =>
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
  const nothing = step === undefined ? `no step of ${id} waits for approval` : notWaiting(state, step);
  const message = isEnded(state) ? `the run ${id} has ended: ${status}` : nothing;
  if (!json) throw new UserError(message, `see: woof ${isEnded(state) ? 'show' : 'why'} ${id}`);
  console.log(JSON.stringify({ execution_id: id, ok: false, message }));
  return 1;
}

function whyRefused(refusal: Refusal, state: State, step: string): string {
  return refusal === 'step_not_waiting' ? notWaiting(state, step) : refusalText(refusal);
}

async function goOn(runtime: Runtime, root: string, id: string, answer: Answer): Promise<State> {
  const adopted = await adoptRun(runtime, root);
  const state = runtime.engine.stateOf(id);
  if (adopted === undefined || state === undefined || isEnded(adopted))
    throw new UserError(`the run ${root} has ended`, `to run it again: woof rerun ${root}`);
  const refusal = await runtime.engine.command(id, { type: 'AnswerStep', ...answer });
  if (refusal !== undefined)
    throw new UserError(whyRefused(refusal, state, answer.step), `see: woof why ${id}`);
  return runtime.engine.finished(root);
}
