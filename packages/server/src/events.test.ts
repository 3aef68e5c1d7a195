/** The event stream: listeners miss nothing and get nothing twice, even if they reconnect or are slow. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { followEvents } from '@woof/client';
import { MemoryStore, type SharedStore } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ended, playbook, type TestServer, testServer, testWorker, until } from './fixtures/test-server.ts';

const STEPS = playbook(
  `- step: start
  loop: {in: "{{ range(30) | list }}", iterator: n, spec: {mode: sequential}}
  tool: {kind: noop, result: "{{ n }}"}`,
);

interface Heard {
  ids: number[];
  ended: boolean;
  response: IncomingMessage;
}

/** A plain listener, like a browser. */
function listen(
  test: TestServer,
  id: string,
  last = 0,
  agent?: Agent,
  token = test.tokens.viewer,
): Promise<Heard> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'text/event-stream',
    'last-event-id': String(last),
  };
  return new Promise((resolve, reject) => {
    const request = get(`${test.url}/v1/executions/${id}/events`, { headers, ...(agent ? { agent } : {}) });
    request.on('error', reject);
    request.on('response', (response) => {
      const heard: Heard = { ids: [], ended: false, response };
      let rest = '';
      response.on('error', () => {});
      response.on('data', (chunk) => {
        const parts = (rest + String(chunk)).split('\n\n');
        rest = parts.pop()!;
        for (const part of parts) {
          const [, seq] = /^id: (\d+)/.exec(part) ?? [];
          if (seq !== undefined) heard.ids.push(Number(seq));
          if (part.startsWith('event: end')) heard.ended = true;
        }
      });
      resolve(heard);
    });
  });
}

const upTo = (count: number, from = 1) =>
  Array.from({ length: count - from + 1 }, (_, index) => from + index);

async function started(test: TestServer): Promise<string> {
  return (await test.as('operator').call('executions.start', { body: { text: STEPS } })).execution_id;
}

async function lengthOf(test: TestServer, id: string): Promise<number> {
  return (await test.as('viewer').call('executions.state', { params: { id } })).seq;
}

async function onPostgres(count: number): Promise<SharedStore[]> {
  const postgres = await startPostgres({ settings: { fsync: 'off' } });
  onTestFinished(() => postgres.dispose());
  const opening = Array.from({ length: count }, () => openPostgres(postgres.url(), { connections: 3 }));
  const opened = await Promise.all(opening);
  onTestFinished(async () => void (await Promise.all(opened.map(({ store }) => store.close()))));
  return opened.map(({ store }) => store);
}

describe('the event stream', () => {
  it('sends all events from start to end, even after the end', async () => {
    const test = await testServer();
    const id = await started(test);
    const live = await listen(test, id);
    testWorker(test);
    await ended(test.as('viewer'), id);
    await until('the stream ends', () => live.ended);
    const all = await lengthOf(test, id);
    expect(live.ids).toEqual(upTo(all));
    const late = await listen(test, id);
    await until('the stream ends', () => late.ended);
    expect(late.ids).toEqual(upTo(all));
  });

  it('does not read the store per commit for runs that this server drives', async () => {
    const store = new MemoryStore();
    const test = await testServer({ store });
    const id = await started(test);
    const heard = await listen(test, id);
    await until('it hears something', () => heard.ids.length > 0);
    const [read, append] = [vi.spyOn(store, 'read'), vi.spyOn(store, 'append')];
    testWorker(test);
    await until('the stream ends', () => heard.ended);
    expect(append.mock.calls.length).toBeGreaterThan(30);
    // Only the beginning, and what a commit in between made it read again.
    expect(read.mock.calls.length).toBeLessThan(5);
    expect(heard.ids).toEqual(upTo(await lengthOf(test, id)));
  });

  it('continues after Last-Event-ID', async () => {
    const test = await testServer();
    const id = await started(test);
    testWorker(test);
    await ended(test.as('viewer'), id);
    const all = await lengthOf(test, id);
    for (const last of [0, 1, 7, all - 1, all]) {
      const heard = await listen(test, id, last);
      await until('the stream ends', () => heard.ended || heard.response.complete);
      expect([last, heard.ids]).toEqual([last, upTo(all, last + 1)]);
    }
  });

  it('works at a server other than the one that drives the run', async () => {
    const store = new MemoryStore();
    const [driver, other] = [await testServer({ store }), await testServer({ store })];
    const id = await started(driver);
    const live = await listen(other, id);
    testWorker(driver);
    await until('the stream ends', () => live.ended);
    expect(live.ids).toEqual(upTo(await lengthOf(driver, id)));
  });

  it('a client misses nothing when the server restarts', async () => {
    const store = new MemoryStore();
    const first = await testServer({ store });
    const id = await started(first);
    const port = Number(new URL(first.url).port);
    const seqs: number[] = [];
    const follow = (async () => {
      for await (const { seq } of followEvents(first.as('viewer'), id)) seqs.push(seq);
    })();
    await until('it hears something', () => seqs.length > 0);
    await first.stop();
    const second = await testServer({ store, listen: { host: '127.0.0.1', port } });
    testWorker(second);
    await follow;
    expect(seqs).toEqual(upTo(await lengthOf(second, id)));
  });

  it('a listener that claims to have seen more than exists gets new events and disturbs nobody', async () => {
    const test = await testServer();
    const id = await started(test);
    const claims = await listen(test, id, 999_999);
    const behaves = await listen(test, id);
    await until('it hears something', () => behaves.ids.length > 0);
    const before = await lengthOf(test, id);
    testWorker(test);
    expect(await ended(test.as('viewer'), id)).toBe('succeeded');
    await until('both streams end', () => claims.ended && behaves.ended);
    const all = await lengthOf(test, id);
    expect(behaves.ids).toEqual(upTo(all));
    expect(claims.ids).toEqual(upTo(all, before + 1));
  });

  it('an id that no event can have is refused', async () => {
    const test = await testServer();
    const id = await started(test);
    for (const last of ['-1', 'x', '1.5', '1e3', '9'.repeat(16)]) {
      const headers = { authorization: `Bearer ${test.tokens.viewer}`, 'last-event-id': last };
      const response = await fetch(`${test.url}/v1/executions/${id}/events`, { headers });
      expect([last, response.status, await response.json()]).toMatchObject([
        last,
        400,
        { code: 'request/invalid', detail: expect.stringContaining('last-event-id') },
      ]);
    }
  });

  it('a thousand listeners get everything, and leave nothing behind', async () => {
    const test = await testServer({ perSecond: 1e6 });
    const id = await started(test);
    const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
    const listeners = await Promise.all(Array.from({ length: 1000 }, () => listen(test, id, 0, agent)));
    expect(test.server.parts.hub.size).toBe(1000);
    testWorker(test);
    await until('all streams end', () => listeners.every((one) => one.ended));
    const all = upTo(await lengthOf(test, id));
    expect(listeners.filter(({ ids }) => ids.length !== all.length)).toEqual([]);
    expect(listeners[500]!.ids).toEqual(all);
    await until('nobody listens', () => test.server.parts.hub.size === 0);
    agent.destroy();
  });

  it('a listener that reads nothing is disconnected, and gets the rest when it reconnects', async () => {
    const store = new MemoryStore();
    const test = await testServer({ store, limits: { listenerMs: 200 } });
    // It reconnects to a server with a long timeout: on a busy machine it could be too slow again and again.
    const patient = await testServer({ store, limits: { listenerMs: 600_000 } });
    testWorker(test);
    const text = playbook(
      `- step: start
  loop: {in: "{{ range(400) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 20}}
  tool: {kind: noop, result: "{{ 'x' * 30000 }}"}`,
    );
    const { execution_id: id } = await test.as('operator').call('executions.start', { body: { text } });
    const slow = await listen(test, id);
    slow.response.pause();
    await ended(test.as('viewer'), id);
    await until('it is dropped', () => test.server.parts.hub.size === 0);
    slow.response.resume();
    await until('its connection is closed', () => slow.response.closed);
    expect(slow.ended).toBe(false);
    const again = await listen(patient, id, slow.ids.at(-1) ?? 0);
    await until('the stream ends', () => again.ended);
    expect([...slow.ids, ...again.ids]).toEqual(upTo(await lengthOf(test, id)));
  });

  it('a listener that disconnects is forgotten', async () => {
    const test = await testServer();
    const id = await started(test);
    const heard = await listen(test, id);
    await until('it is known', () => test.server.parts.hub.size === 1);
    heard.response.destroy();
    await until('it is forgotten', () => test.server.parts.hub.size === 0);
  });

  it('a listener whose token is revoked gets nothing more, even at another server; others do', async () => {
    const store = new MemoryStore();
    const [test, other] = [await testServer({ store }), await testServer({ store })];
    const id = await started(test);
    const body = { name: 'brief', role: 'viewer' as const };
    const made = await test.as('admin').call('tokens.create', { body });
    const [here, there] = await Promise.all(
      [test, other].map((server) => listen(server, id, 0, undefined, made.token)),
    );
    const stays = await listen(test, id);
    await until('all hear something', () => [here!, there!, stays].every(({ ids }) => ids.length > 0));
    await test.as('admin').call('tokens.revoke', { params: { id: made.id } });
    await until('its streams are over', () => here!.response.closed && there!.response.closed);
    expect([here!.ended, there!.ended, stays.response.closed]).toEqual([false, false, false]);
    testWorker(test);
    await until('the other stream ends', () => stays.ended);
  });

  it('the store is checked every few seconds for quiet runs, wherever they are driven', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const store = new MemoryStore();
    const [driver, other] = [await testServer({ store }), await testServer({ store })];
    const id = await started(driver);
    const heard = await Promise.all([driver, other].map((server) => listen(server, id)));
    await until('both hear something', () => heard.every(({ ids }) => ids.length > 0));
    const read = vi.spyOn(store, 'read');
    vi.advanceTimersByTime(2999);
    expect(read).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(read.mock.calls.map(([asked]) => asked)).toEqual([id, id]);
  });

  it('events of a run that another server takes over still arrive', async () => {
    const store = new MemoryStore();
    const [driver, other] = [await testServer({ store }), await testServer({ store })];
    const id = await started(driver);
    const { hub } = other.server.parts;
    let told = 0;
    const forget = hub.listen(id, { seen: 0, isHere: true }, () => (told += 1));
    testWorker(driver);
    await ended(driver.as('viewer'), id);
    await until('it is told', () => told > 0);
    forget();
    expect(hub.size).toBe(0);
  });

  it('a server that stops ends its streams', async () => {
    const test = await testServer();
    const heard = await listen(test, await started(test));
    await test.stop();
    await until('the stream is over', () => heard.response.closed);
    expect(heard.ended).toBe(false);
  });
});

/** Several servers on one store, none of which polls it. */
function hearsElsewhere(openStores: (count: number) => Promise<SharedStore[]>): void {
  const stopLooking = () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
  };

  it('a listener at a server other than the driving one gets everything', async () => {
    const stores = await openStores(2);
    stopLooking();
    const [driver, other] = await Promise.all(stores.map((store) => testServer({ store })));
    const id = await started(driver!);
    const live = await listen(other!, id);
    testWorker(driver!);
    await until('the stream ends', () => live.ended);
    expect(live.ids).toEqual(upTo(await lengthOf(driver!, id)));
  });

  it('listeners get the events of a run that a third server takes over, even at the former driver', async () => {
    const stores = await openStores(3);
    stopLooking();
    const [first, other, third] = await Promise.all(stores.map((store) => testServer({ store })));
    const id = await started(first!);
    const heard = await Promise.all([first!, other!].map((server) => listen(server, id)));
    await until('both hear something', () => heard.every(({ ids }) => ids.length > 0));
    await third!.as('operator').call('executions.cancel', { params: { id }, body: {} });
    await until('both streams end', () => heard.every(({ ended }) => ended));
    const all = upTo(await lengthOf(third!, id));
    expect(heard.map(({ ids }) => ids)).toEqual([all, all]);
  });
}

describe('at another server, without polling the store', () =>
  hearsElsewhere(async (count) => new Array<SharedStore>(count).fill(new MemoryStore())));

describeUnless(postgresReason())('at another server on one Postgres, without looking at it', () =>
  hearsElsewhere(onPostgres),
);
