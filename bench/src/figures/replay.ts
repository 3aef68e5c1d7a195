/** A log of a million events, folded from the start and from a snapshot. Both must give the same state. */
import { hashState, loadState } from '@woof/engine';
import { openBenchEngine } from '../bench-engine.ts';
import { fanOut } from '../bench-plan.ts';
import { type Figure, perSecond } from '../figure.ts';

/** Five events per iteration. */
const ITERATIONS = 200_000;

export async function replayFigures(): Promise<Figure[]> {
  const bench = openBenchEngine();
  const id = await bench.start(fanOut(ITERATIONS, 500));
  const live = hashState(await bench.engine.finished(id));
  const started = performance.now();
  const whole = await loadState(bench.store, id, { snapshot: false });
  const rate = perSecond(whole!.seq, started);
  const resumed = performance.now();
  const tail = await loadState(bench.store, id);
  const resumeMs = performance.now() - resumed;
  const same = hashState(whole!) === live && hashState(tail!) === live;
  await bench.close();
  return [
    {
      name: `replay of ${whole!.seq.toLocaleString('en')} events`,
      value: rate,
      unit: 'events/s',
      atLeast: 300_000,
    },
    { name: 'resume from the snapshot', value: resumeMs, unit: 'ms', atMost: 200 },
    { name: 'replay, snapshot and live state agree', value: same ? 1 : 0, unit: '', atLeast: 1 },
  ];
}
