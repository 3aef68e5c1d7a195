/** What a request does to the runs of this process. */

import type { AnswerStep, Command, State } from '@woof/net';
import { answerRefusalText, refusalText } from '@woof/protocol';
import type { Runtime } from '../runtime.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';

export class RequestHandler {
  constructor(private readonly runtime: Runtime) {}

  async handle({ verb, execution_id: id, reason, answer }: ControlRequest): Promise<ControlAnswer> {
    const known = this.runtime.engine.stateOf(id);
    if (known === undefined) return said(false, 'the run has ended');
    if (verb === 'answer') return this.answer(known, answer!);
    const refusal = await this.command(known, commandFor(verb, reason));
    if (refusal !== undefined) return said(false, refusalText(refusal));
    return said(true, DONE[verb]);
  }

  private async answer(state: State, answer: Omit<AnswerStep, 'type'>): Promise<ControlAnswer> {
    const refusal = await this.runtime.engine.command(state.execution_id, { type: 'AnswerStep', ...answer });
    if (refusal !== undefined) return said(false, answerRefusalText(refusal, state, answer));
    return said(true, `${answer.step} ${answer.approved ? 'approved' : 'rejected'}`);
  }

  /** Pausing a caller pauses its nested runs. Cancelling needs no help: an ended caller ends its children. */
  private async command(state: State, command: Command): ReturnType<Runtime['engine']['command']> {
    const refusal = await this.runtime.engine.command(state.execution_id, command);
    if (refusal !== undefined || command.type === 'CancelExecution') return refusal;
    for (const { child } of state.jobs.values()) {
      const called = child ? this.runtime.engine.stateOf(child) : undefined;
      if (called) await this.command(called, command);
    }
    return undefined;
  }
}

const DONE = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' } as const;

export function commandFor(verb: keyof typeof DONE, reason = 'cancelled by woof cancel'): Command {
  if (verb === 'pause') return { type: 'PauseExecution' };
  return verb === 'resume' ? { type: 'ResumeExecution' } : { type: 'CancelExecution', reason };
}

function said(ok: boolean, message: string): ControlAnswer {
  return { ok, pid: process.pid, message };
}
