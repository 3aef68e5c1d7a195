/** A chain of durable noop steps, beside the rate of the disk, measured before and after it. */
import { type BenchEngine, openBenchEngine } from '../bench-engine.ts';
import { chain } from '../bench-plan.ts';
import { type Figure, median, perSecond } from '../figure.ts';
import { syncRate } from './disk.ts';

const WINDOW = 40;
const ROUNDS = 5;

export async function chainFigures(): Promise<Figure[]> {
  await timed(2000);
  const shares: number[] = [];
  const rates: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = syncRate();
    const { rate, growth } = await timed(1000);
    const disk = (before + syncRate()) / 2;
    rates.push(rate);
    shares.push(rate / disk);
    ratios.push(growth);
  }
  const long = await timed(10_000);
  return [
    { name: 'disk', value: syncRate(), unit: 'fdatasync/s' },
    { name: 'chain of 1,000 steps', value: median(rates), unit: 'steps/s' },
    { name: 'chain of 1,000, share of the disk', value: median(shares), unit: '', atLeast: 0.5, aim: 0.8 },
    { name: 'step 990 beside step 10', value: median(ratios), unit: '×', atMost: 1.1 },
    { name: 'chain of 10,000 steps', value: long.rate, unit: 'steps/s' },
    { name: 'step 9,990 beside step 10', value: long.growth, unit: '×', atMost: 1.1 },
  ];
}

/** Rate of a chain, and how much longer its last steps take than its first. */
async function timed(length: number): Promise<{ rate: number; growth: number }> {
  const times: number[] = [];
  const bench: BenchEngine = openBenchEngine({
    onEvents: (_id, events) => {
      if (events.some((event) => event.name === 'step.done')) times.push(performance.now());
    },
  });
  const started = performance.now();
  await bench.engine.finished(await bench.start(chain(length)));
  const rate = perSecond(length, started);
  await bench.close();
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  const growth = median(gaps.slice(-WINDOW)) / median(gaps.slice(10, 10 + WINDOW));
  return { rate, growth };
}
