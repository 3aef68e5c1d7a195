/** Numbers that cannot be values: plans are JSON, and ints have a limit. */
import type { Diagnostic } from '@woof/net';
import { yamlProblems } from './diagnostics.ts';
import { isInt, MAX_DIGITS } from './exact-number.ts';
import type { Span } from './source.ts';

export function numberProblem(at: Span, written: string, value: number): Diagnostic | undefined {
  if (!isInt(written)) return Number.isFinite(value) ? undefined : yamlProblems.notJson(at, written);
  const { length } = written.replace(/^[-+]/, '');
  return length > MAX_DIGITS ? yamlProblems.tooLong(at, length, MAX_DIGITS) : undefined;
}
