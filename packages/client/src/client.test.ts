import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PROTOCOL_VERSION } from '@woof/protocol';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Client } from './client.ts';

async function clientOf(listener: RequestListener, timeoutMs: number): Promise<Client> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new Client({ url: `http://127.0.0.1:${port}`, token: undefined, timeoutMs });
}

it('a call to a server that never answers ends', async () => {
  const client = await clientOf(() => {}, 50);
  await expect(client.call('me.get')).rejects.toMatchObject({
    name: 'Unreachable',
    message: expect.stringContaining('did not answer within 0.05 s'),
  });
});

it('a call whose answer never ends is ended', async () => {
  const client = await clientOf((_request, response) => void response.writeHead(200).write('{'), 50);
  await expect(client.call('me.get')).rejects.toMatchObject({ name: 'Unreachable' });
});

it('a caller that aborts is told so, and not that the server is away', async () => {
  const client = await clientOf(() => {}, 60_000);
  const call = client.call('me.get', { signal: AbortSignal.abort() });
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
});

it('a call that asks the server to wait gets that time in addition', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = await clientOf((_request, response) => {
    vi.advanceTimersByTime(60_049);
    response.end('{"now": 1}');
  }, 50);
  const body = {
    worker: 'w',
    protocol: PROTOCOL_VERSION,
    version: '1',
    slots: 1,
    labels: {},
    kinds: [],
    free: 1,
    wait_ms: 60_000,
  };
  expect(await client.call('work.claim', { body })).toEqual({ now: 1 });
});

it('a request that is too large for a server is refused before it is sent', async () => {
  let asked = 0;
  const client = await clientOf((_request, response) => {
    asked++;
    response.end('{}');
  }, 10_000);
  const start = (payload: string) =>
    client.call('executions.start', { body: { path: 'a', payload: { payload } } });
  await expect(start('é'.repeat(5 * 1024 * 1024))).rejects.toMatchObject({
    code: 'request/too-large',
    message: 'the request has 10485797 bytes, and a server accepts 8388608',
  });
  await start('x'.repeat(8_000_000));
  expect(asked).toBe(1);
});

it('an answer that breaks off counts as no answer', async () => {
  const client = await clientOf((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"now": 1', () => response.destroy());
  }, 60_000);
  await expect(client.call('me.get')).rejects.toMatchObject({ name: 'Unreachable', isUnsent: false });
});

it('a compressed answer is unpacked, and a damaged one counts as no answer', async () => {
  const packed = gzipSync('{"now": 1}');
  const answers = [packed, packed.subarray(0, 12)];
  const client = await clientOf((request, response) => {
    expect(request.headers['accept-encoding']).toBe('gzip');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(answers.shift());
  }, 60_000);
  expect(await client.call('me.get')).toEqual({ now: 1 });
  await expect(client.call('me.get')).rejects.toMatchObject({ name: 'Unreachable' });
});

it('a redirect is not followed: the token stays with the server that it is for', async () => {
  const paths: unknown[] = [];
  const client = await clientOf((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  }, 60_000);
  await expect(client.call('me.get')).rejects.toMatchObject({
    message: expect.stringContaining('answered with status 307'),
  });
  expect(paths).toEqual(['/v1/me']);
});

it('a call to a server that is not there is unsent', async () => {
  const client = new Client({ url: 'http://127.0.0.1:1', token: undefined });
  await expect(client.call('me.get')).rejects.toMatchObject({ name: 'Unreachable', isUnsent: true });
});
