import { expect, it } from 'vitest';
import { ReportQueue } from './report-queue.ts';

/** Calls that end when a test says so. */
function calls() {
  const open: { batch: string[]; end: () => void }[] = [];
  const queue = new ReportQueue<string>(
    (item) => item[0]!,
    (batch) => new Promise((end) => open.push({ batch, end })),
  );
  return { open, queue };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('sends items added in one tick in one call, and later ones in the next', async () => {
  const { open, queue } = calls();
  for (const item of ['a1', 'b1', 'a2']) queue.add(item);
  await settled();
  queue.add('b2');
  await settled();
  expect(open.map(({ batch }) => batch)).toEqual([['a1', 'b1', 'a2']]);
  open[0]!.end();
  await settled();
  expect(open.map(({ batch }) => batch)).toEqual([['a1', 'b1', 'a2'], ['b2']]);
});

it('does not make a waiter for one key wait for what others add later', async () => {
  const { open, queue } = calls();
  queue.add('a1');
  const mine = queue.sent('a');
  await settled();
  queue.add('b1');
  open[0]!.end();
  await mine;
  await queue.sent('a');
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await settled();
  expect(isIdle).toBe(false);
  open[1]!.end();
  await idle;
});

it('a key is sent when the last of its items is', async () => {
  const { open, queue } = calls();
  queue.add('a1');
  await settled();
  queue.add('a2');
  let isSent = false;
  const sent = queue.sent('a').then(() => {
    isSent = true;
  });
  open[0]!.end();
  await settled();
  expect(isSent).toBe(false);
  open[1]!.end();
  await sent;
});
