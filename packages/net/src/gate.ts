/**
 * What a gate asks, and what ends its wait: an answer, or its time.
 *
 * A stage of a workflow that is a gate never becomes a job of a worker: its fields are literal, so the core itself asks
 * (tokens.ts) and judges the answer (decide.ts). The fields of a gate in a playbook may be templates, so a worker renders
 * them and asks.
 */
import { APPROVAL_IS_NEEDED } from './approval-words.ts';
import type { GateInput } from './exec.ts';
import type { JsonObject } from './json.ts';
import { LAST_MS } from './last-ms.ts';
import { failure, type Outcome } from './outcome.ts';
import type { Plan, Step } from './plan.ts';

export interface GateAnswer {
  approved: boolean;
  by?: string;
  note?: string;
  at: number;
}

/** The gate that a stage is; undefined: it is not a gate, or a worker asks. */
export function stageGate({ kind }: Plan, { tasks }: Step): GateInput | undefined {
  const [task] = tasks;
  return kind === 'workflow' && task?.kind === 'gate' ? task.input : undefined;
}

/** What a person is asked. `until`: when its time ends, if it does. */
export function gateQuestion(
  { message, approvers, timeout_sec }: GateInput,
  since: number,
): { human: { reason: string } & JsonObject; until?: number } {
  const until = endOf(timeout_sec, since);
  return {
    human: { reason: message || APPROVAL_IS_NEEDED, ...(approvers ? { approvers } : {}) },
    ...(until === undefined ? {} : { until }),
  };
}

/** Undefined: it still waits, because nobody who may answer has answered. */
export function gateOutcome(
  { approvers, timeout_sec }: GateInput,
  since: number,
  now: number,
  answer?: GateAnswer,
): Outcome | undefined {
  const until = endOf(timeout_sec, since) ?? Number.POSITIVE_INFINITY;
  const inTime = answer !== undefined && answer.at < until;
  if (inTime && (approvers === undefined || approvers.includes(answer.by ?? ''))) return outcomeOf(answer);
  if (now < until) return undefined;
  const late = answer && !inTime ? `; ${answer.by ?? 'someone'} answered too late` : '';
  return failure('timeout', `nobody answered the gate within ${timeout_sec} s${late}`, { retryable: false });
}

/** A time that no Date can hold is never reached. Zero seconds are no limit. */
function endOf(seconds: number | undefined, since: number): number | undefined {
  const end = seconds ? since + seconds * 1000 : Number.POSITIVE_INFINITY;
  return end <= LAST_MS ? end : undefined;
}

function outcomeOf({ approved, by, note, at }: GateAnswer): Outcome {
  if (!approved) {
    const why = `rejected by ${by ?? 'somebody'}${note ? `: ${note}` : ''}`;
    return failure('policy', why, { code: 'rejected' });
  }
  return {
    status: 'ok',
    result: { approved_by: by ?? null, note: note ?? null, at: new Date(at).toISOString() },
  };
}
