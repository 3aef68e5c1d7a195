/** Values stored outside the log: what a decision about one costs, and how much memory a loop over one takes. */
import type { Tool } from '@woof/tools';
import { openBenchEngine } from '../bench-engine.ts';
import { planOf, step } from '../bench-plan.ts';
import { type Figure, median } from '../figure.ts';

const ROWS = 100_000;
const DECISIONS = 200;
const ROUNDS = 5;

/** 100 MB: `{"n": 7, "rows": [...]}`. */
const large = () => ({
  n: 7,
  rows: Array.from({ length: ROWS }, (_, id) => ({ id, text: 'x'.repeat(980) })),
});

export async function largeValueFigures(): Promise<Figure[]> {
  await decided({ n: 7 });
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    costs.push((await decided(large())) - (await decided({ n: 7 })));
  const guard = { name: 'guard on a scalar of 100 MB, more than on a small one', unit: 'ms', atMost: 1 };
  return [{ ...guard, value: Math.max(0, median(costs)) }];
}

/** How long a step takes whose arc reads a field of the first result, in ms. */
async function decided(result: object): Promise<number> {
  const steps = Array.from({ length: DECISIONS }, (_, index) => {
    const made = step(`s${index}`, index + 1 < DECISIONS ? `s${index + 1}` : undefined);
    for (const arc of made.next.arcs) arc.when = '{{ s0.n > 5 }}';
    return made;
  });
  steps[0]!.tasks[0]!.input = { result: result as never };
  let from = 0;
  const bench = openBenchEngine({
    onEvents: (_id, events) => {
      if (from === 0 && events.some(({ name, step }) => name === 'step.done' && step === 's1'))
        from = performance.now();
    },
  });
  const { status } = await bench.engine.finished(await bench.start(planOf(steps)));
  const took = (performance.now() - from) / DECISIONS;
  await bench.close();
  if (status !== 'succeeded') throw new Error(`the chain ended as ${status}`);
  return took;
}

/** The peak memory of a process that only loops: over stored rows, or over a range of the same length. */
export async function loopMemory(kind: 'stored rows' | 'numbers'): Promise<Figure[]> {
  const bench = openBenchEngine({}, [listTool]);
  const isStored = kind === 'stored rows';
  const wide = step('wide');
  wide.loop = {
    in: isStored ? '{{ list }}' : `{{ range(${ROWS}) }}`,
    iterator: 'row',
    mode: 'parallel',
    maxInFlight: 100,
    exec: 'distributed',
    failure: 'fail_fast',
  };
  wide.tasks[0]!.input = { result: isStored ? '{{ iter.row.id }}' : '{{ iter.row }}' };
  const first = step('list', 'wide');
  first.tasks[0]!.kind = 'list';
  const { status } = await bench.engine.finished(await bench.start(planOf([first, wide])));
  await bench.close();
  if (status !== 'succeeded') throw new Error(`the loop ended as ${status}`);
  const value = process.resourceUsage().maxRSS / 1024;
  return [{ name: `memory of a loop over 100,000 ${kind}`, value, unit: 'MiB' }];
}

/** Stores a list as a stream, so that creating it takes no memory in this process. */
const listTool: Tool = {
  schema: { kind: 'list', summary: 'A stored list.', fields: {} },
  run: async (_call, { blobs }) => {
    const options = { hint: { type: 'list', length: ROWS }, maxBytes: Number.POSITIVE_INFINITY };
    return { status: 'ok', result: await blobs.put(listBytes(), options) };
  },
};

async function* listBytes(): AsyncIterable<Uint8Array> {
  yield Buffer.from('[');
  for (let id = 0; id < ROWS; id++)
    yield Buffer.from(`${id > 0 ? ',' : ''}{"id":${id},"text":"${'x'.repeat(80)}"}`);
  yield Buffer.from(']');
}
