/** Many short executions at once: they share commits. */
import { openBenchEngine } from '../bench-engine.ts';
import { chain } from '../bench-plan.ts';
import { type Figure, median, perSecond } from '../figure.ts';

export async function manyFigures(): Promise<Figure[]> {
  await rate(200, 10);
  const rates = [await rate(1000, 10), await rate(1000, 10), await rate(1000, 10)];
  const value = median(rates);
  return [{ name: '1,000 executions × 10 steps', value, unit: 'steps/s', atLeast: 8000, aim: 16_000 }];
}

async function rate(executions: number, steps: number): Promise<number> {
  const bench = openBenchEngine();
  const plan = chain(steps);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: executions }, async () => bench.engine.finished(await bench.start(plan))),
  );
  const result = perSecond(executions * steps, started);
  await bench.close();
  return result;
}
