/**
 * The policy, judged where the block would run, beside what was found where it was submitted: what either blocks waits
 * for a person who says that it may.
 */
import { failure, type JsonObject, type Outcome } from '@woof/net';
import { type Judgement, joinJudgements, judgeBlock, type Rules } from '@woof/policy';
import { type Answer, readAnswer } from '../answer.ts';
import type { Parked, ToolCall } from '../tool.ts';
import type { ExecBlock } from './exec-block.ts';

export interface Passed {
  judgement: Judgement;
  /** Who let a blocked block run. */
  override?: JsonObject;
}

export function passPolicy(block: ExecBlock, call: ToolCall, rules: Rules): Passed | Outcome | Parked {
  const judgement = joinJudgements(block.submitted, judgeBlock(block, rules));
  if (judgement.decision !== 'block') return { judgement };
  const { answer } = readAnswer(call.resumed);
  if (answer === undefined) return waiting(call, judgement, 'the policy blocks it');
  if (!answer.approved) return rejected(answer, judgement);
  if (!answer.override)
    return waiting(call, judgement, 'approving alone does not let it run, since the policy blocks it');
  return { judgement, override: overrideOf(answer) };
}

function waiting({ executionId, step }: ToolCall, { violations, warnings }: Judgement, why: string): Parked {
  const fix = `woof approve ${executionId} ${step} --override`;
  return {
    status: 'parked',
    human: {
      reason: `${why}: ${violations.join('; ')}. To run it nevertheless: ${fix}`,
      violations,
      warnings,
      needs_override: true,
    },
    memo: null,
  };
}

function rejected({ by, note }: Answer, { violations }: Judgement): Outcome {
  const message = `the policy blocks it and ${by ?? 'somebody'} rejected it${note ? ` (${note})` : ''}: ${violations.join('; ')}`;
  return failure('policy', message, { code: 'rejected', details: { violations } });
}

function overrideOf({ by, note, at }: Answer): JsonObject {
  return { by: by ?? null, note: note ?? null, at: new Date(at).toISOString() };
}
