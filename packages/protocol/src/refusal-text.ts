/** What people read when the core refuses a command, wherever the run is driven. */
import { type AnswerStep, mayNotAnswer, notWaiting, type Refusal, type State } from '@woof/net';

const TEXTS: Partial<Record<Refusal, string>> = {
  execution_ended: 'the run has ended',
  execution_paused: 'the run is already paused',
  execution_not_paused: 'the run is already running',
  override_needed:
    'the safety policy blocks this step; approve it with --override (in the API: "override": true)',
};

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal] ?? refusal.replaceAll('_', ' ');
}

export function answerRefusalText(
  refusal: Refusal,
  state: State,
  { step, by }: Pick<AnswerStep, 'step' | 'by'>,
): string {
  if (refusal === 'step_not_waiting') return notWaiting(state, step);
  return refusal === 'not_an_approver' ? mayNotAnswer(state, step, by) : refusalText(refusal);
}
