/** Measures guards: compiled once, evaluated many times, with a context of a megabyte that must not matter. */
import { compile, scopeOf } from './index.ts';

const GUARD = "{{ iter.page < 10 and outcome.status == 'ok' }}";
const ROUNDS = 100_000;

export function measureGuard(): { perSecond: number } {
  const { template } = compile(GUARD);
  if (!template) throw new Error('the guard does not compile');
  const large = Array.from({ length: 10_000 }, (_, index) => ({ id: index, text: 'x'.repeat(90) }));
  const scope = scopeOf({ iter: { page: 3 }, outcome: { status: 'ok', result: large } });
  const host = { now: () => 0 };
  const run = (rounds: number): void => {
    for (let round = 0; round < rounds; round++)
      if (!template.test(scope, host)) throw new Error('the guard must hold');
  };
  run(ROUNDS / 10);
  const start = performance.now();
  run(ROUNDS);
  return { perSecond: Math.round((ROUNDS / (performance.now() - start)) * 1000) };
}
