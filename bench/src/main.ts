/** npm run bench: every figure that is promised, beside its limit, in one run. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashState, loadState } from '@woof/engine';
import { openBenchEngine } from './bench-engine.ts';
import { chain, fanOut } from './bench-plan.ts';

async function main(): Promise<void> {
  const disk = syncRate();
  console.log('disk', disk.toFixed(0), 'fdatasync/s');
  await benchChain(1000, disk);
  await benchChain(10_000, disk);
  if (process.env.ONLY === 'chain') return;
  await benchMany(1000, 10);
  await benchFan(10_000);
  await benchFan(100_000);
}

function syncRate(): number {
  const path = join(tmpdir(), `woof-sync-${process.pid}`);
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096);
  const rounds = 2000;
  for (let index = 0; index < 256; index++) writeSync(file, page, 0, 4096, index * 4096);
  const started = performance.now();
  for (let index = 0; index < rounds; index++) {
    writeSync(file, page, 0, 4096, (index % 256) * 4096);
    fdatasyncSync(file);
  }
  const rate = (rounds / (performance.now() - started)) * 1000;
  closeSync(file);
  rmSync(path);
  return rate;
}

async function benchChain(length: number, disk: number): Promise<void> {
  const times: number[] = [];
  const bench = openBenchEngine({
    onEvents: (_id, events) => {
      for (const event of events) if (event.name === 'step.done') times.push(performance.now());
    },
  });
  const started = performance.now();
  const id = await bench.start(chain(length));
  await bench.engine.finished(id);
  const rate = (length / (performance.now() - started)) * 1000;
  const gap = (from: number) =>
    median(times.slice(from, from + length / 20).map((time, index) => time - times[from + index - 1]!));
  console.log(
    `chain ${length}`,
    rate.toFixed(0),
    'steps/s',
    (rate / disk).toFixed(2),
    'of disk; late/early',
    (gap(Math.floor(length * 0.94)) / gap(Math.floor(length * 0.1))).toFixed(2),
  );
  const replay = performance.now();
  const state = await loadState(bench.store, id, { snapshot: false });
  console.log(
    '  replay',
    ((state!.seq / (performance.now() - replay)) * 1000).toFixed(0),
    'events/s',
    hashState(state!).slice(0, 8),
  );
  await bench.close();
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function benchMany(count: number, length: number): Promise<void> {
  const bench = openBenchEngine();
  const plan = chain(length);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: count }, async () => bench.engine.finished(await bench.start(plan))),
  );
  const rate = ((count * length) / (performance.now() - started)) * 1000;
  console.log(`${count} x ${length}`, rate.toFixed(0), 'steps/s');
  await bench.close();
}

async function benchFan(total: number): Promise<void> {
  const bench = openBenchEngine();
  const started = performance.now();
  const id = await bench.start(fanOut(total, 100));
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const live = await bench.engine.finished(id);
  clearInterval(timer);
  const rate = (total / (performance.now() - started)) * 1000;
  console.log(`fan-out ${total}`, rate.toFixed(0), 'iterations/s', 'peak rss MB', (peak / 1e6).toFixed(0));
  const replay = performance.now();
  const state = await loadState(bench.store, id, { snapshot: false });
  console.log(
    '  replay',
    state!.seq,
    'events',
    ((state!.seq / (performance.now() - replay)) * 1000).toFixed(0),
    'events/s',
    hashState(state!) === hashState(live),
  );
  await bench.close();
}

await main();
