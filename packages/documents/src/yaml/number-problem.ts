/** What a number loses when it becomes one of JSON. */
import type { Diagnostic } from '@woof/net';
import { yamlProblems } from './diagnostics.ts';
import type { Span } from './source.ts';

export function numberProblem(at: Span, written: string, value: number): Diagnostic | undefined {
  if (!Number.isFinite(value)) return yamlProblems.notJson(at, written);
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && /^[-+]?\d+$/.test(written);
  return isLong ? yamlProblems.precision(at, written) : undefined;
}
