/** A guard, compiled once, with a small and with a large context. */
import { compile, scopeOf } from '@woof/expr';
import type { Figure } from '../figure.ts';

const GUARD = "{{ iter.page < 10 and outcome.status == 'ok' }}";
const EVALUATIONS = 100_000;

export async function expressionFigures(): Promise<Figure[]> {
  timed({});
  const small = timed({});
  const large = timed({ big: Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'x'.repeat(80) })) });
  return [
    { name: '100,000 evaluations of a guard', value: small, unit: 's', atMost: 0.1 },
    { name: 'the same with a 1 MB context', value: large, unit: 's', atMost: 0.1 },
  ];
}

function timed(more: Record<string, unknown>): number {
  const { template } = compile(GUARD);
  const scope = scopeOf({ iter: { page: 3 }, outcome: { status: 'ok' }, ...more });
  const host = { now: () => 0 };
  const started = performance.now();
  for (let count = 0; count < EVALUATIONS; count++) template!.test(scope, host);
  return (performance.now() - started) / 1000;
}
