import { createServer } from 'node:net';
import { Client } from '@woof/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { UserError } from '../user-error.ts';
import { watchForWorker } from './missing-worker.ts';
import { told } from './wait-for-end.ts';

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a server that does not come back is given up, with the command that waits later', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const stdout = vi.spyOn(process.stdout, 'write');
  onTestFinished(() => stdout.mockRestore());
  const said: string[] = [];
  const patience = { giveUpMs: 400, say: (line: string) => said.push(line) };
  const client = new Client({ url, token: undefined });
  const waiting = told(client, 'run-1', { wait: true, json: true, quiet: true }, { patience });
  const error = await waiting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UserError);
  expect(error).toMatchObject({
    exitCode: 1,
    message: `the server at ${url} has not answered for 0.4 s; the server keeps run run-1`,
    fix: expect.stringContaining(`woof events run-1 --server ${url} --follow`),
  });
  expect(said).toEqual([`the server at ${url} does not answer (ECONNREFUSED); retrying for up to 0.4 s`]);
  expect(stdout).not.toHaveBeenCalled();
});

it.each([
  ['no worker', [], true],
  ['only one that drains, and one that is gone', [{ alive: true, draining: true }, { alive: false }], true],
  ['one that takes jobs', [{ alive: true, draining: false }], false],
])('%s: a waiting person is told once, or not at all', async (_, workers, isTold) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const client = { url: 'http://x', call: vi.fn(async () => ({ workers })) };
  const said: string[] = [];
  const stop = new AbortController();
  watchForWorker(client as unknown as Client, (line) => said.push(line), stop.signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.call).toHaveBeenCalledTimes(1);
  expect(said).toEqual(
    isTold ? ['no worker is taking jobs; start one with: woof worker --server http://x'] : [],
  );
  watchForWorker(client as unknown as Client, (line) => said.push(line), stop.signal);
  stop.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.call).toHaveBeenCalledTimes(1);
});
