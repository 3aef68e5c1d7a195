/**
 * Judges the policy where the block would run, together with the findings at submission. If either blocks it, the block
 * waits for a person's approval.
 */
import { type JsonObject, type Outcome, policyQuestion, policyRejection } from '@woof/net';
import { type Judgement, joinJudgements, judgeBlock, type Rules } from '@woof/policy';
import { type Answer, readAnswer } from '../answer.ts';
import type { Parked, ToolCall } from '../tool.ts';
import type { ExecBlock } from './exec-block.ts';

export interface Passed {
  judgement: Judgement;
  /** Who approved a blocked block. */
  override?: JsonObject;
}

export function passRules(block: ExecBlock, call: ToolCall, rules: Rules): Passed | Outcome | Parked {
  const judgement = joinJudgements(block.submitted, judgeBlock(block, rules));
  if (judgement.decision !== 'block') return { judgement };
  const { answer } = readAnswer(call.resumed);
  if (answer === undefined) return waiting(call, judgement);
  if (!answer.approved) return rejected(answer, judgement);
  if (!answer.override)
    return waiting(call, judgement, 'an approval is not enough, because the policy blocks it');
  // A person who approved it on the server has not seen findings of this worker's own rules.
  const asked = answer.violations ?? judgement.violations;
  if (!judgement.violations.every((each) => asked.includes(each)))
    return waiting(call, judgement, 'the policy of the worker blocks it too');
  return { judgement, override: overrideOf(answer) };
}

function waiting({ executionId, step }: ToolCall, judgement: Judgement, why?: string): Parked {
  return { status: 'parked', human: policyQuestion(executionId, step, judgement, why), memo: null };
}

function rejected(answer: Answer, { violations }: Judgement): Outcome {
  return { status: 'error', error: policyRejection(violations, answer) };
}

function overrideOf({ by, note, at }: Answer): JsonObject {
  return { by: by ?? null, note: note ?? null, at: new Date(at).toISOString() };
}
