/**
 * A gate: parks until a person answers.
 *
 * Invariant: the first run fixes the start time and keeps it in the memo, so that neither an answer from the wrong
 * person nor a restart extends the time.
 */
import {
  type GateInput,
  gateOutcome,
  gateQuestion,
  isObject,
  type Json,
  type JsonObject,
  type Outcome,
} from '@woof/net';
import { readAnswer } from '../answer.ts';
import { fault, numberField, textField } from '../fields.ts';
import { settle } from '../settle.ts';
import type { Parked, Tool, ToolCall } from '../tool.ts';
import { gateSchema } from './gate-schema.ts';

export const gateTool: Tool = {
  schema: gateSchema,
  run: (call, context) => settle('gate', context.signal, () => pass(call, context.now())),
};

function pass(call: ToolCall, now: number): Outcome | Parked {
  const gate = toGate(call.input);
  const { memo, answer } = readAnswer(call.resumed);
  const since = isObject(memo) && typeof memo.since === 'number' ? memo.since : now;
  const outcome = gateOutcome(gate, since, now, answer);
  if (outcome) return outcome;
  const { human, until } = gateQuestion(gate, since);
  const refused = answer ? ` (${answer.by ?? 'an unnamed person'} may not answer)` : '';
  return {
    status: 'parked',
    human: { ...human, reason: `${human.reason}${refused}` },
    ...(until === undefined ? {} : { until }),
    memo: { since },
  };
}

function toGate(input: JsonObject): GateInput {
  const message = textField(input, 'message');
  const seconds = numberField(input, 'timeout_sec');
  const approvers = toNames(input.approvers ?? null);
  return {
    ...(message ? { message } : {}),
    ...(seconds ? { timeout_sec: seconds } : {}),
    ...(approvers ? { approvers } : {}),
  };
}

function toNames(given: Json): string[] | undefined {
  if (given === null) return undefined;
  if (Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string'))
    return given;
  throw fault('approvers', 'a list of names', given);
}
