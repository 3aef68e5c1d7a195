/**
 * A gate: parks until a person answers.
 *
 * Invariant: the first run fixes the start time and keeps it in the memo, so that neither an answer from the wrong
 * person nor a restart extends the time.
 */
import { APPROVAL_IS_NEEDED, failure, isObject, type Json, type JsonObject, type Outcome } from '@woof/net';
import { type Answer, readAnswer } from '../answer.ts';
import { fault, numberField, textField } from '../fields.ts';
import { LAST_MS } from '../last-ms.ts';
import { settle } from '../settle.ts';
import type { Parked, Tool, ToolCall } from '../tool.ts';
import { gateSchema } from './gate-schema.ts';

export const gateTool: Tool = {
  schema: gateSchema,
  run: (call, context) => settle('gate', context.signal, () => pass(call, context.now())),
};

function pass(call: ToolCall, now: number): Outcome | Parked {
  const asked = toQuestion(call.input);
  const { memo, answer } = readAnswer(call.resumed);
  const since = isObject(memo) && typeof memo.since === 'number' ? memo.since : now;
  const end = asked.seconds === undefined ? Number.POSITIVE_INFINITY : since + asked.seconds * 1000;
  // A later time is never reached.
  const until = end <= LAST_MS ? end : undefined;
  const inTime = answer !== undefined && (until === undefined || answer.at < until);
  if (inTime && mayAnswer(asked.approvers, answer)) return outcomeOf(answer);
  if (until !== undefined && now >= until) {
    const late = answer && !inTime ? `; ${answer.by ?? 'someone'} answered too late` : '';
    return failure('timeout', `nobody answered the gate within ${asked.seconds} s${late}`, {
      retryable: false,
    });
  }
  const refused = answer ? ` (${answer.by ?? 'an unnamed person'} may not answer)` : '';
  return {
    status: 'parked',
    human: {
      reason: `${asked.message ?? APPROVAL_IS_NEEDED}${refused}`,
      ...(asked.approvers ? { approvers: asked.approvers } : {}),
    },
    ...(until === undefined ? {} : { until }),
    memo: { since },
  };
}

function toQuestion(input: JsonObject): { message?: string; approvers?: string[]; seconds?: number } {
  const message = textField(input, 'message');
  const seconds = numberField(input, 'timeout_sec');
  const approvers = toNames(input.approvers ?? null);
  return {
    ...(message ? { message } : {}),
    ...(seconds ? { seconds } : {}),
    ...(approvers ? { approvers } : {}),
  };
}

function toNames(given: Json): string[] | undefined {
  if (given === null) return undefined;
  if (Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string'))
    return given;
  throw fault('approvers', 'a list of names', given);
}

function mayAnswer(approvers: string[] | undefined, { by }: Answer): boolean {
  return approvers === undefined || (by !== undefined && approvers.includes(by));
}

function outcomeOf({ approved, by, note, at }: Answer): Outcome {
  const who = by ?? 'somebody';
  const result = { approved_by: by ?? null, note: note ?? null, at: new Date(at).toISOString() };
  if (approved) return { status: 'ok', result };
  return failure('policy', `rejected by ${who}${note ? `: ${note}` : ''}`, { code: 'rejected' });
}
