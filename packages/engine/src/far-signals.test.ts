import { MemoryStore } from '@woof/stores';
import { expect, it, onTestFinished } from 'vitest';
import { FarSignals } from './far-signals.ts';

const store = new MemoryStore();

/** A server that listens, and what it heard. */
async function server(serverId: string) {
  const heard: string[] = [];
  const onFault = (error: unknown) => heard.push(String(error));
  const onSaid = (key: string) => heard.push(key);
  const signals = new FarSignals({ store, serverId, topic: 'limit', onSaid, onFault });
  await signals.start();
  onTestFinished(() => signals.stop());
  const join = async () => {
    await store.beat({ id: serverId, kind: 'server', info: {} }, 60_000);
    await signals.joined();
  };
  return { signals, heard, join };
}

/** Messages of this store arrive within a tick. */
const delivered = () => new Promise((resolve) => setImmediate(resolve));

it.each([
  ['joined before', ['speaker', 'listener', 'wish']],
  ['joins later', ['listener', 'wish', 'speaker']],
  ['joined between the wish and its server', ['wish', 'speaker', 'listener']],
])('a server that %s tells what it was asked to tell', async (order, steps) => {
  const listener = await server(`listener, ${order}`);
  const speaker = await server(`speaker, ${order}`);
  for (const what of steps) {
    if (what === 'wish') listener.signals.ask(order);
    else await { listener, speaker }[what]!.join();
    await delivered();
  }
  listener.heard.length = 0;
  speaker.signals.say(order);
  await delivered();
  expect(listener.heard).toEqual([order]);
});
