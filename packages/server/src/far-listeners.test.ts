/** What servers tell each other about their listeners, with a store whose messages arrive when the test says so. */
import type { JsonObject } from '@woof/net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FarListeners } from './far-listeners.ts';

interface Told {
  to: string;
  message: JsonObject;
  arrives: () => void;
}

async function farListeners(driver = 'other') {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: Told[] = [];
  const seen: string[] = [];
  let hear: (message: JsonObject) => void = () => {};
  const far = new FarListeners({
    store: {
      execution: async (id) => ({ execution_id: id, driver }) as never,
      tell: (to, message) => new Promise((resolve) => told.push({ to, message, arrives: resolve })),
      listen: async (_id, hears) => {
        hear = hears;
        return async () => {};
      },
    },
    serverId: 'me',
    onMore: (id) => seen.push(id),
    onTaken: (id) => id === 'heard-here',
    onFault: (error) => expect(error).toBeUndefined(),
  });
  await far.start();
  const next = () => told.splice(0).map(({ to, message }) => [to, message]);
  return { far, told, seen, next, hear: (message: JsonObject) => hear(message) };
}

it('asks the driver, and reads when it signals more', async () => {
  const { far, next, seen, hear } = await farListeners();
  far.ask('x');
  await vi.advanceTimersByTimeAsync(0);
  expect(next()).toEqual([['other', { listens: 'x', server: 'me' }]]);
  hear({ more: 'x' });
  expect(seen).toEqual(['x']);
});

it.each(['me', null])('asks nobody about runs that %s drives', async (driver) => {
  const { far, next } = await farListeners(driver as string);
  far.ask('x');
  await vi.advanceTimersByTimeAsync(0);
  expect(next()).toEqual([]);
});

it('signals more as soon as it is asked, and once for everything that arrives meanwhile', async () => {
  const { far, told, next, hear } = await farListeners();
  far.publish('x');
  expect(next()).toEqual([]);
  hear({ listens: 'x', server: 's' });
  for (let frames = 0; frames < 100; frames++) far.publish('x');
  const [first] = told;
  expect(next()).toEqual([['s', { more: 'x' }]]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(next()).toEqual([]);
  first!.arrives();
  await vi.advanceTimersByTimeAsync(1000);
  expect(next()).toEqual([['s', { more: 'x' }]]);
});

it('forgets a server that does not ask again', async () => {
  const { far, told, next, hear } = await farListeners();
  const publish = async () => {
    far.publish('x');
    const said: unknown[] = [];
    while (told.length > 0) {
      for (const { arrives } of told) arrives();
      said.push(...next());
      await vi.advanceTimersByTimeAsync(100);
    }
    return said;
  };
  hear({ listens: 'x', server: 's' });
  expect(await publish()).not.toEqual([]);
  for (let renewals = 0; renewals < 10; renewals++) {
    await vi.advanceTimersByTimeAsync(5000);
    hear({ listens: 'x', server: 's' });
  }
  expect(await publish()).toEqual([['s', { more: 'x' }]]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await publish()).toEqual([]);
});

it('tells the server that took over an execution who listens to it', async () => {
  const { next, hear } = await farListeners();
  hear({ listens: 'heard-here', server: 's' });
  hear({ listens: 'heard-here', server: 'new' });
  next();
  hear({ taken: 'heard-here', seq: 3, by: 'new' });
  expect(next()).toEqual([
    ['new', { listens: 'heard-here', server: 's' }],
    ['new', { listens: 'heard-here', server: 'me' }],
  ]);
  hear({ taken: 'y', seq: 3, by: 'new' });
  expect(next()).toEqual([]);
});

it('ignores other messages', async () => {
  const { next, seen, hear } = await farListeners();
  for (const message of [
    { offered: true },
    { taken: 'heard-here', seq: 3 },
    { listens: 'x' },
    { more: 1 },
    {},
  ])
    hear(message);
  expect([next(), seen]).toEqual([[], []]);
});
