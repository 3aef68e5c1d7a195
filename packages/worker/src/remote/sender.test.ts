import { expect, it } from 'vitest';
import { Sender } from './sender.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('sends what is queued at any moment around the end of the last call', async () => {
  for (let moments = 0; moments < 12; moments++) {
    const queue = ['first'];
    const sent: string[] = [];
    const sender = new Sender(
      () => queue.length === 0,
      async () => void sent.push(...queue.splice(0)),
    );
    sender.wake();
    for (let moment = 0; moment < moments; moment++) await Promise.resolve();
    queue.push('second');
    sender.wake();
    await settled();
    expect(sent, `queued after ${moments} moments`).toEqual(['first', 'second']);
  }
});

it('makes one call at a time, and the next sends everything that came meanwhile', async () => {
  const queue: number[] = [1];
  const calls: number[][] = [];
  let answer: () => void = () => {};
  const sender = new Sender(
    () => queue.length === 0,
    () => {
      calls.push(queue.splice(0));
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  );
  sender.wake();
  await settled();
  for (const item of [2, 3]) {
    queue.push(item);
    sender.wake();
  }
  await settled();
  expect(calls).toEqual([[1]]);
  answer();
  await settled();
  expect(calls).toEqual([[1], [2, 3]]);
  const idle = sender.idle();
  answer();
  await idle;
});

it('continues after a failed call', async () => {
  const queue = ['bad', 'good'];
  const sent: string[] = [];
  const sender = new Sender(
    () => queue.length === 0,
    async () => {
      const [item] = queue.splice(0, 1);
      if (item === 'bad') throw new Error(item);
      sent.push(item!);
    },
  );
  sender.wake();
  await expect(sender.idle()).rejects.toThrow('bad');
  sender.wake();
  await sender.idle();
  expect(sent).toEqual(['good']);
});
