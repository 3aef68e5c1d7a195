/** A chain of steps, compared with the rate of the disk, which is measured before and after it. */
import { type BenchEngine, openBenchEngine } from '../bench-engine.ts';
import { chain } from '../bench-plan.ts';
import { type Figure, median, perSecond } from '../figure.ts';
import { syncRate } from './disk.ts';

const WINDOW = 40;
const ROUNDS = 5;

export async function chainFigures(): Promise<Figure[]> {
  await timed(2000, 'noop');
  await timed(2000, 'effect');
  const computed = await beside('noop');
  const effects = await beside('effect');
  const long = await timed(10_000, 'effect');
  return [
    { name: 'disk', value: syncRate(), unit: 'fdatasync/s' },
    { name: 'chain of 1,000 noop steps', value: computed.rate, unit: 'steps/s' },
    { name: 'its share of the disk', value: computed.share, unit: '', atLeast: 0.5, aim: 0.8 },
    { name: 'chain of 1,000 effects, one commit each', value: effects.rate, unit: 'steps/s' },
    { name: 'its share of the disk', value: effects.share, unit: '' },
    { name: 'step 990 beside step 10', value: effects.growth, unit: '×', atMost: 1.1 },
    { name: 'step 9,990 beside step 10', value: long.growth, unit: '×', atMost: 1.1 },
  ];
}

async function beside(kind: string): Promise<{ rate: number; share: number; growth: number }> {
  const rates: number[] = [];
  const shares: number[] = [];
  const growths: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = syncRate();
    const { rate, growth } = await timed(1000, kind);
    rates.push(rate);
    shares.push(rate / ((before + syncRate()) / 2));
    growths.push(growth);
  }
  return { rate: median(rates), share: median(shares), growth: median(growths) };
}

/** The rate of a chain, and how much longer its last commits take than its first. */
async function timed(length: number, kind: string): Promise<{ rate: number; growth: number }> {
  const times: number[] = [];
  const bench: BenchEngine = openBenchEngine({
    onEvents: (_id, events) => {
      if (events.some((event) => event.name === 'step.done')) times.push(performance.now());
    },
  });
  const started = performance.now();
  await bench.engine.finished(await bench.start(chain(length, kind)));
  const rate = perSecond(length, started);
  await bench.close();
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  const growth = median(gaps.slice(-WINDOW)) / median(gaps.slice(10, 10 + WINDOW));
  return { rate, growth };
}
