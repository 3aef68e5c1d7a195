/** A run of a real server, followed as a page does: nothing missed, nothing twice, whatever becomes of the connection. */
import { connect, createServer, type Socket } from 'node:net';
import { Client } from '@woof/client';
import type { Head } from '@woof/run-view/fold';
import { expect, it, onTestFinished } from 'vitest';
import {
  ended,
  playbook,
  type TestServer,
  testServer,
  testWorker,
  until,
} from '../../packages/server/src/fixtures/test-server.ts';
import { RunFeed } from '../../packages/studio/src/run/run-feed.ts';

const LOOP = playbook(
  `- step: start
  loop: {in: "{{ range(workload.n) | list }}", iterator: n, spec: {mode: sequential}}
  tool: {kind: noop, result: "{{ n }}"}`,
  'workload: {n: 20}\n',
);

async function started(test: TestServer, n: number): Promise<string> {
  const body = { text: LOOP, payload: { n } };
  return (await test.as('operator').call('executions.start', { body })).execution_id;
}

interface Followed {
  feed: RunFeed;
  heads: Head[];
  away: (string | undefined)[];
  over: Promise<void>;
}

async function follow(client: Client, id: string, short?: number): Promise<Followed> {
  const heads: Head[] = [];
  const away: (string | undefined)[] = [];
  const listener = { head: (head: Head) => heads.push(head), away: (why?: string) => away.push(why) };
  const feed = new RunFeed(client, id, listener, short);
  onTestFinished(() => feed.close());
  await feed.open();
  const over = feed.follow();
  over.catch(() => {});
  return { feed, heads, away, over };
}

const seqs = async ({ feed }: Followed) => (await feed.events(1, feed.head.length + 1)).map(({ seq }) => seq);

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

interface Cuttable {
  client: (token: string) => Client;
  cut: () => void;
  /** The connections of streams of events. */
  streams: ReadonlySet<Socket>;
}

/** A proxy to the server whose connections can be cut. */
async function cuttable(url: string): Promise<Cuttable> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const streams = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    near.on('data', (asked) => {
      if (String(asked).includes('text/event-stream')) streams.add(near);
    });
    near.on('close', () => streams.delete(near));
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const address = server.address() as { port: number };
  return { client: (token) => new Client({ url: `http://127.0.0.1:${address.port}`, token }), cut, streams };
}

it('a run in progress is followed to its end, and its earlier moments can be shown', async () => {
  const test = await testServer();
  const id = await started(test, 20);
  const followed = await follow(test.as('viewer'), id);
  expect(followed.feed.head).toMatchObject({ status: 'running', connection: 'live' });
  testWorker(test);
  await followed.over;
  const { head } = followed.feed;
  expect(head).toMatchObject({ status: 'succeeded', connection: 'over', loaded: head.length });
  expect(await seqs(followed)).toEqual(upTo(head.length));
  expect((await followed.feed.at(head.length)).status).toBe('succeeded');
  expect((await followed.feed.at(1)).status).toBe('running');
  const page = { seq: head.length, from: 0, count: 100 };
  expect((await followed.feed.iterations('start', page)).total).toBe(20);
  expect((await followed.feed.iterations('start', { ...page, seq: 1 })).total).toBe(0);
});

it('connections that break in the middle lose nothing and repeat nothing', async () => {
  const test = await testServer();
  const { client, cut } = await cuttable(test.url);
  const id = await started(test, 60);
  const followed = await follow(client(test.tokens.viewer), id);
  testWorker(test);
  for (const share of [30, 90, 150]) {
    await until(`${share} events came`, () => followed.feed.head.length > share);
    cut();
  }
  await followed.over;
  expect(await seqs(followed)).toEqual(upTo(followed.feed.head.length));
  const row = await test.as('viewer').call('executions.get', { params: { id } });
  expect(followed.feed.head.length).toBe(row.events);
});

it('an unseen page holds no connection, and catches up without a gap when it is seen', async () => {
  const test = await testServer();
  const id = await started(test, 60);
  const { client, streams } = await cuttable(test.url);
  const followed = await follow(client(test.tokens.viewer), id);
  await until('the stream is open', () => streams.size === 1);
  followed.feed.see(false);
  await until('the stream is closed', () => streams.size === 0);
  testWorker(test);
  await ended(test.as('viewer'), id);
  const { length } = followed.feed.head;
  expect((await test.as('viewer').call('executions.get', { params: { id } })).events).toBeGreaterThan(length);
  followed.feed.see(true);
  followed.feed.see(false);
  followed.feed.see(true);
  await followed.over;
  expect(followed.feed.head).toMatchObject({ status: 'succeeded', connection: 'over' });
  expect(await seqs(followed)).toEqual(upTo(followed.feed.head.length));
});

it('a long run shows its end at once, and its beginning when somebody looks back', async () => {
  const test = await testServer();
  testWorker(test);
  const id = await started(test, 20);
  await ended(test.as('viewer'), id);
  const followed = await follow(test.as('viewer'), id, 20);
  await followed.over;
  const { length, loaded } = followed.feed.head;
  expect(length).toBeGreaterThan(20);
  expect(loaded).toBe(0);
  expect((await followed.feed.at(length)).status).toBe('succeeded');
  expect((await followed.feed.events(5, 8)).map(({ seq }) => seq)).toEqual([5, 6, 7]);
  expect(followed.feed.head.loaded).toBe(0);
  expect((await followed.feed.at(7)).seq).toBe(7);
  expect(followed.feed.head.loaded).toBe(length);
});

it('a long run shows a step at once, and what it tried when its events are here', async () => {
  const test = await testServer();
  testWorker(test);
  const id = await started(test, 20);
  await ended(test.as('viewer'), id);
  const { feed, over } = await follow(test.as('viewer'), id, 20);
  await over;
  const { length } = feed.head;
  expect(await feed.step(length, 'start')).toMatchObject({ status: 'succeeded', attempts: [] });
  await until('the events before the snapshot came', () => feed.head.loaded === length);
  expect((await feed.step(length, 'start')).attempts).toHaveLength(20);
});

it('a missing run, and a token that ended, are refused', async () => {
  const test = await testServer();
  await expect(follow(test.as('viewer'), 'none')).rejects.toMatchObject({ code: 'not-found' });
  const id = await started(test, 1);
  const stranger = new Client({ url: test.url, token: 'woof_none' });
  await expect(follow(stranger, id)).rejects.toMatchObject({ code: 'auth/wrong' });
  expect((await follow(test.as('viewer'), id)).feed.head.status).toBe('running');
});
