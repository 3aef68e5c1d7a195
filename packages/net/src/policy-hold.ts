/**
 * What a person is asked, and what a refusal says, when the safety policy blocks a step. The wording is the same
 * whether the server held the step before it had a job, or a worker parked its job.
 */
import type { JsonObject } from './json.ts';
import type { OutcomeError } from './outcome.ts';

export interface PolicyFindings {
  violations: string[];
  warnings: string[];
}

export function policyQuestion(
  executionId: string,
  step: string,
  { violations, warnings }: PolicyFindings,
  why = 'the policy blocks it',
): { reason: string } & JsonObject {
  const fix = `woof approve ${executionId} ${step} --override`;
  return {
    reason: `${why}: ${violations.join('; ')}. To run it anyway, use: ${fix}`,
    violations,
    warnings,
    needs_override: true,
  };
}

export function policyRejection(
  violations: readonly string[],
  { by = 'someone', note }: { by?: string; note?: string },
): OutcomeError {
  const who = `${by} rejected it${note ? ` (${note})` : ''}`;
  const message = `the policy blocks it and ${who}: ${violations.join('; ')}`;
  return {
    kind: 'policy',
    retryable: false,
    message,
    code: 'rejected',
    details: { violations: [...violations] },
  };
}
