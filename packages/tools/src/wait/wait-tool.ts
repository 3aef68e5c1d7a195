/**
 * A durable timer: parks until its time, so that a wait of a month holds no slot and survives a restart.
 *
 * Invariant: the first run fixes the end of the wait and keeps it in the memo. If woken early, it parks again.
 */
import { failure, isObject, type Json, type JsonObject, type Outcome } from '@woof/net';
import { FieldFault, fault, given, numberField, textField } from '../fields.ts';
import { LAST_MS } from '../last-ms.ts';
import { settle } from '../settle.ts';
import type { Parked, Tool, ToolCall } from '../tool.ts';
import { waitSchema } from './wait-schema.ts';

export const waitTool: Tool = {
  schema: waitSchema,
  run: (call, context) => settle('wait', context.signal, () => wait(call, context.now())),
};

function wait(call: ToolCall, now: number): Outcome | Parked {
  const memo = readMemo(call.resumed) ?? { since: now, until: endOf(call.input, now) };
  const seconds = numberField(call.spec, 'timeout');
  const limit = seconds ? memo.since + seconds * 1000 : Number.POSITIVE_INFINITY;
  if (memo.until > limit && now >= limit)
    return failure('timeout', `the wait is longer than the timeout of ${seconds} s`);
  if (memo.until > now) return { status: 'parked', until: Math.min(memo.until, limit), memo };
  const until = new Date(memo.until).toISOString();
  return { status: 'ok', result: { waited_seconds: Math.max(0, now - memo.since) / 1000, until } };
}

function endOf(input: JsonObject, now: number): number {
  if (given(input, 'seconds') && given(input, 'until')) {
    throw new FieldFault('"seconds" and "until" cannot be used together: keep one');
  }
  const seconds = numberField(input, 'seconds');
  const until = textField(input, 'until');
  if (seconds === undefined && until === undefined) {
    throw new FieldFault('"seconds" (a number) or "until" (an ISO 8601 time) is required');
  }
  const end = until === undefined ? now + (seconds ?? 0) * 1000 : Date.parse(until);
  if (Number.isNaN(end)) throw fault('until', 'an ISO 8601 time such as 2030-01-31T09:00:00Z', until);
  if (end > LAST_MS) throw fault('seconds', 'within the range of dates', seconds);
  return end;
}

function readMemo(memo: Json | undefined): { since: number; until: number } | undefined {
  if (!isObject(memo) || typeof memo.since !== 'number' || typeof memo.until !== 'number') return undefined;
  return { since: memo.since, until: memo.until };
}
