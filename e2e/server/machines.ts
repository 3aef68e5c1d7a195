/** Real servers and workers on loopback, each a process of its own, for tests that call them as people do. */
import { join } from 'node:path';
import { type Ran, type Running, runWoof, startWoof, until } from '../cli/woof.ts';

export interface ServerProcess extends Running {
  url: string;
  /** Null if the store has an admin token that its data directory does not know. */
  token: string;
}

export async function startServer(
  cwd: string,
  { verb = 'server', port = 0, data = join(cwd, 'data'), more = [] as string[] } = {},
): Promise<ServerProcess> {
  const args = [verb, '--json', '--listen', `127.0.0.1:${port}`, '--data', data, ...more];
  const running = startWoof(args, { cwd });
  await until('the server listens', () => {
    if (running.child.exitCode !== null) throw new Error(`the server ended: ${running.stderr()}`);
    return running.stdout().includes('\n');
  });
  const { url, token } = begun<{ url: string; token: string }>('server', running);
  return { ...running, url, token };
}

export async function startWorker(
  { url, token }: { url: string; token: string },
  cwd: string,
  ...more: string[]
): Promise<Running & { id: string }> {
  const args = ['worker', '--server', url, '--token', token, '--data', join(cwd, 'worker-data'), '--json'];
  const running = startWoof([...args, ...more], { cwd });
  await until('the worker works', () => {
    if (running.child.exitCode !== null) throw new Error(`the worker ended: ${running.stderr()}`);
    return running.stdout().includes('\n');
  });
  const { worker: id } = begun<{ worker: string }>('worker', running);
  return { ...running, id };
}

/** What a process says as its first line; with `--json`, that may also be why it ended. */
function begun<T>(what: string, running: Running): T {
  const said = JSON.parse(running.stdout().split('\n')[0]!) as T & { error?: { message: string } };
  if (said.error) throw new Error(`the ${what} ended: ${said.error.message}`);
  return said;
}

/** A verb that talks to the server. */
export function ask(
  { url, token }: { url: string; token: string },
  cwd: string,
  ...args: string[]
): Promise<Ran> {
  return runWoof(args, { cwd, env: { WOOF_SERVER: url, WOOF_TOKEN: token } });
}
