/** One wide loop that keeps its whole history, then a join. Memory is measured in a process that does nothing else. */
import { openBenchEngine } from '../bench-engine.ts';
import { fanOut } from '../bench-plan.ts';
import { type Figure, median, perSecond } from '../figure.ts';

export async function fanOutFigures(): Promise<Figure[]> {
  await rate(2000);
  const rates = [await rate(10_000), await rate(10_000), await rate(10_000)];
  const value = median(rates);
  return [
    { name: 'fan-out of 10,000, limit 100, join', value, unit: 'iterations/s', atLeast: 8000, aim: 29_000 },
  ];
}

export async function fanOutMemory(total: number): Promise<Figure[]> {
  await rate(total);
  return [
    { name: `memory of a fan-out of ${total}`, value: process.resourceUsage().maxRSS / 1024, unit: 'MiB' },
  ];
}

async function rate(total: number): Promise<number> {
  const bench = openBenchEngine();
  const started = performance.now();
  await bench.engine.finished(await bench.start(fanOut(total, 100)));
  const result = perSecond(total, started);
  await bench.close();
  return result;
}
