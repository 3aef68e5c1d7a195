import { failure, type Outcome } from '@woof/net';
import { FieldFault } from './fields.ts';
import type { Parked } from './tool.ts';

/** Thrown if the outcome of a task is already known. */
export class OutcomeFault extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.error?.message);
  }
}

/** Runs a tool's body and turns whatever it throws into an outcome, so that `run` never throws. */
export async function settle<T extends Outcome | Parked>(
  kind: string,
  signal: AbortSignal,
  body: () => Promise<T> | T,
): Promise<T | Outcome> {
  if (signal.aborted) return abortOutcome(signal);
  try {
    return await body();
  } catch (error) {
    return faultOutcome(kind, signal, error);
  }
}

export function faultOutcome(kind: string, signal: AbortSignal, error: unknown): Outcome {
  if (error instanceof FieldFault) return failure('schema', `${kind}: ${error.message}`);
  if (signal.aborted) return abortOutcome(signal);
  if (error instanceof OutcomeFault) return error.outcome;
  return failure('unknown', `${kind}: ${error instanceof Error ? error.message : String(error)}`);
}

/** The outcome of a task that was stopped from outside. The signal's reason says why. */
export function abortOutcome(signal: AbortSignal): Outcome {
  const reason: unknown = signal.reason;
  if (reason === 'timeout' || (reason instanceof Error && reason.name === 'TimeoutError')) {
    return failure('timeout', 'the task reached its timeout and was stopped');
  }
  return failure('cancelled', 'the task was cancelled');
}
