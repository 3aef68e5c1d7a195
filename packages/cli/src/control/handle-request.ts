/** What a request does to the runs of this process; runs that nobody drives are changed in the store. */
import { type AnswerStep, type Command, isEnded, notWaiting, type State } from '@woof/net';
import type { Runtime } from '../runtime.ts';
import { adoptRun } from './adopt-run.ts';
import { commandStored } from './command-stored.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';
import { refusalText } from './refusal-text.ts';

export class RequestHandler {
  private readonly taken = new Set<Promise<unknown>>();

  constructor(private readonly runtime: Runtime) {}

  async handle({ verb, execution_id: id = '', reason, answer }: ControlRequest): Promise<ControlAnswer> {
    const known = this.runtime.engine.stateOf(id);
    if (verb === 'answer') return this.answer(id, answer!);
    if (verb === 'ping') return said(known !== undefined, known?.status ?? 'not driven here');
    if (verb === 'resume' && known === undefined) return this.takeOver(id);
    const command = commandFor(verb, reason);
    const faults: string[] = [];
    const refusal = known
      ? await this.command(known, command)
      : await commandStored(this.runtime.data, id, command, (fault) => faults.push(fault));
    if (refusal !== undefined) return said(false, refusalText(refusal));
    return said(true, [DONE[verb], ...faults].join('; '));
  }

  private async answer(id: string, answer: Omit<AnswerStep, 'type'>): Promise<ControlAnswer> {
    if (this.runtime.engine.stateOf(id) === undefined) {
      const taken = await this.takeOver(id);
      if (!taken.ok) return taken;
    }
    const state = this.runtime.engine.stateOf(id);
    const refusal = await this.runtime.engine.command(id, { type: 'AnswerStep', ...answer });
    if (refusal === 'step_not_waiting' && state) return said(false, notWaiting(state, answer.step));
    if (refusal !== undefined) return said(false, refusalText(refusal));
    return said(true, `${answer.step} ${answer.approved ? 'approved' : 'rejected'}`);
  }

  async adopted(): Promise<void> {
    while (this.taken.size > 0) await Promise.allSettled(this.taken);
  }

  /** Pausing a caller pauses what it called. Cancelling needs no help: an ended caller ends its children. */
  private async command(state: State, command: Command): ReturnType<Runtime['engine']['command']> {
    const refusal = await this.runtime.engine.command(state.execution_id, command);
    if (refusal !== undefined || command.type === 'CancelExecution') return refusal;
    for (const { child } of state.jobs.values()) {
      const called = child ? this.runtime.engine.stateOf(child) : undefined;
      if (called) await this.command(called, command);
    }
    return undefined;
  }

  private async takeOver(id: string): Promise<ControlAnswer> {
    const state = await adoptRun(this.runtime, id);
    if (state === undefined) return said(false, `there is no run ${id}`);
    if (isEnded(state)) return said(false, `the run has ended: ${state.status}`);
    const end = this.runtime.engine.finished(id).finally(() => this.taken.delete(end));
    this.taken.add(end);
    return said(true, DONE.resume);
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
