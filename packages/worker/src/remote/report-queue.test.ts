import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReportQueue } from './report-queue.ts';

interface Item {
  key: string;
  no: number;
}

/** Calls that end when a test says so. */
function calls() {
  const open: { batch: Item[]; end: () => void }[] = [];
  const queue = new ReportQueue<Item>(
    ({ key }) => key,
    (batch) => new Promise((end) => open.push({ batch, end })),
  );
  return { open, queue };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('sends what is added at any moment around the end of a call', async () => {
  for (let moments = 0; moments < 12; moments++) {
    const sent: number[] = [];
    const queue = new ReportQueue<number>(String, async (batch) => void sent.push(...batch));
    queue.add(1);
    for (let moment = 0; moment < moments; moment++) await Promise.resolve();
    queue.add(2);
    await queue.idle();
    expect(sent, `added after ${moments} moments`).toEqual([1, 2]);
  }
});

it('what is added in one tick goes in one call, and another call follows while that one lasts', async () => {
  const { open, queue } = calls();
  queue.add({ key: 'a', no: 1 });
  queue.add({ key: 'b', no: 1 });
  await settled();
  queue.add({ key: 'c', no: 1 });
  await settled();
  expect(open.map(({ batch }) => batch.map(({ key }) => key))).toEqual([['a', 'b'], ['c']]);
});

it('whoever waits for one key does not wait for others', async () => {
  const { open, queue } = calls();
  queue.add({ key: 'a', no: 1 });
  await settled();
  queue.add({ key: 'b', no: 1 });
  await settled();
  open[1]!.end();
  await queue.sent('b');
  let isIdle = false;
  void queue.idle().then(() => {
    isIdle = true;
  });
  await settled();
  expect(isIdle).toBe(false);
  open[0]!.end();
  await queue.idle();
});

it('whatever the order in which calls end, items of a key arrive in theirs, one call at a time', async () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ end: fc.nat(3) }),
    fc.constant('wait' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { open, queue } = calls();
      const arrived: Record<string, number[]> = { a: [], b: [], c: [] };
      const end = (at: number) => {
        const [call] = open.splice(at, 1);
        for (const { key, no } of call?.batch ?? []) arrived[key]!.push(no);
        call?.end();
      };
      let no = 0;
      for (const one of steps) {
        if (one === 'wait') await settled();
        else if ('add' in one) queue.add({ key: one.add, no: no++ });
        else end(one.end % Math.max(1, open.length));
        const keys = open.flatMap(({ batch }) => [...new Set(batch.map(({ key }) => key))]);
        expect(new Set(keys).size).toBe(keys.length);
        expect(open.length).toBeLessThanOrEqual(4);
      }
      for (await settled(); open.length > 0; await settled()) end(0);
      await queue.idle();
      for (const numbers of Object.values(arrived))
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(Object.values(arrived).flat()).toHaveLength(no);
    }),
  );
});
