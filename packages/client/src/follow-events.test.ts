/** Following a server that breaks off, falls silent, comes back or stays away. */
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Client, Unreachable } from './client.ts';
import { followEvents } from './follow-events.ts';
import { Reach, type ReachOptions } from './reach.ts';

async function serve(
  listener: RequestListener,
  port = 0,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const event = (seq: number) => `id: ${seq}\ndata: {"seq":${seq}}\n\n`;
const END = 'event: end\ndata: {}\n\n';

/** The received events and notifications, in order. */
async function follow(url: string, options: ReachOptions, said: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ url, token: undefined });
  const onAway = (why: string) => said.push(why.replace(url, 'URL'));
  const reach = new Reach(url, { onAway, onBack: () => said.push('back'), ...options });
  for await (const { seq } of followEvents(client, 'x', { reach })) said.push(seq);
  return said;
}

/** Answers the first, second … call. */
function inTurn(...answers: ((response: ServerResponse, last: unknown) => void)[]): RequestListener {
  let calls = 0;
  return ({ headers }, response) => answers[calls++]!(response, headers['last-event-id']);
}

it('a broken connection is reopened after the last event, silently', async () => {
  const { url } = await serve(
    inTurn(
      (response) => response.write(event(1) + event(2), () => response.destroy()),
      (response, last) => response.end(`${event(Number(last) + 1)}${END}`),
    ),
  );
  expect(await follow(url, {})).toEqual([1, 2, 3]);
});

/** Time stands still, or advances as usual, until a test advances it; the network is not affected. */
function holdTime({ shouldAdvanceTime = false } = {}): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime });
  onTestFinished(() => void vi.useRealTimers());
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

it('a server that falls silent is away, and back when it sends something', async () => {
  holdTime({ shouldAdvanceTime: true });
  let calls = 0;
  const answers = inTurn(
    (response) => response.write(event(1)),
    () => {},
    (response) => response.end(`${event(2)}${END}`),
  );
  const { url } = await serve((...call) => {
    calls += 1;
    answers(...call);
  });
  const said: unknown[] = [];
  const following = follow(url, { silentMs: 10_000 }, said);
  await until(() => said.includes(1));
  vi.advanceTimersByTime(10_000);
  await until(() => calls === 2);
  vi.advanceTimersByTime(10_000);
  await following;
  expect(said).toEqual([1, 'the server at URL has been silent for 10 s', 'back', 2]);
});

it('whoever stops following and follows again does not wait', async () => {
  const { url } = await serve(
    inTurn(
      (response) => response.write(event(1)),
      (response) => response.end(`${event(2)}${END}`),
    ),
  );
  const pause = vi.spyOn(Reach.prototype, 'pause');
  onTestFinished(() => pause.mockRestore());
  const reach = new Reach(url);
  const client = new Client({ url, token: undefined });
  const seqs: number[] = [];
  const left = new AbortController();
  for await (const { seq } of followEvents(client, 'x', { reach, signal: left.signal })) {
    seqs.push(seq);
    // While the next event is awaited.
    setImmediate(() => left.abort());
  }
  for await (const { seq } of followEvents(client, 'x', { reach, from: 1 })) seqs.push(seq);
  expect(seqs).toEqual([1, 2]);
  expect(pause).not.toHaveBeenCalled();
});

it('a comment is enough to count as alive', async () => {
  holdTime();
  let stream: ServerResponse | undefined;
  const { url } = await serve(
    inTurn((response) => {
      stream = response;
      response.flushHeaders();
    }),
  );
  const said: unknown[] = [];
  const following = follow(url, { silentMs: 10_000 }, said);
  const heard = vi.spyOn(Reach.prototype, 'heard');
  onTestFinished(() => heard.mockRestore());
  await until(() => heard.mock.calls.length === 1);
  for (let beats = 2; beats < 10; beats++) {
    vi.advanceTimersByTime(9999);
    stream!.write(': there\n\n');
    await until(() => heard.mock.calls.length === beats);
  }
  stream!.end(`${event(1)}${END}`);
  await following;
  expect(said).toEqual([1]);
});

it('a slow reader does not make the server silent', async () => {
  holdTime();
  const { url } = await serve(inTurn((response) => response.end(`${event(1)}${event(2)}${END}`)));
  const told: string[] = [];
  const reach = new Reach(url, { silentMs: 10_000, onAway: (why) => told.push(why) });
  const seqs: number[] = [];
  for await (const { seq } of followEvents(new Client({ url, token: undefined }), 'x', { reach })) {
    seqs.push(seq);
    vi.advanceTimersByTime(600_000);
  }
  expect([seqs, told]).toEqual([[1, 2], []]);
});

it('a server that does not come back is given up', async () => {
  const { url, stop } = await serve(inTurn((response) => response.write(event(1))));
  const said: unknown[] = [];
  const following = follow(url, { giveUpMs: 500 }, said);
  following.catch(() => {});
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await stop();
  await expect(following).rejects.toThrow(Unreachable);
  await expect(following).rejects.toThrow(`the server at ${url} has not answered for 0.5 s`);
  expect(said).toEqual([1, 'the server at URL does not answer (ECONNREFUSED)']);
});

it('a refusal is not retried; an unreachable store is', async () => {
  const problem = (status: number, code: string) => (response: ServerResponse) =>
    void response.writeHead(status).end(JSON.stringify({ status, code, detail: 'the reason' }));
  const { url } = await serve(inTurn(problem(503, 'store/unavailable'), problem(404, 'not-found')));
  const said: unknown[] = [];
  await expect(follow(url, {}, said)).rejects.toMatchObject({ code: 'not-found' });
  expect(said).toEqual(['the server at URL cannot answer: the reason']);
});
