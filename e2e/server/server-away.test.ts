/**
 * A server that goes away while somebody waits for a run, or for the answer to a call: they are told, and lose nothing.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { lastJson, playbook, type Running, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { ask, type ServerProcess, startServer } from './machines.ts';

async function atTheGate(...more: string[]) {
  const effects = await startEffectServer();
  const cwd = temporaryFolder({
    'held.yaml': playbook(`- step: start\n  tool: {kind: http, url: "${effects.url}/hold/gate"}`),
  });
  const server = await startServer(cwd, { verb: 'up' });
  const waiting = submit(server, cwd, '--wait', ...more);
  await until('the run is at the gate', () => effects.count('/hold/gate') === 1);
  // Until then it waits for the answer to its call, for which the message is different.
  await until('it waits for the end', () => /^run \S+ at /m.test(waiting.stderr()));
  return { effects, cwd, server, waiting };
}

function submit({ url, token }: { url: string; token: string }, cwd: string, ...more: string[]): Running {
  return startWoof(['submit', 'held.yaml', '--server', url, '--token', token, ...more], { cwd });
}

const says = (running: Running, words: string) =>
  until(`it says "${words}"`, () => {
    if (running.child.exitCode !== null) throw new Error(`it ended: ${running.stderr()}`);
    return running.stderr().includes(words);
  });

const startAgain = (server: ServerProcess, cwd: string) =>
  startServer(cwd, { verb: 'up', port: Number(new URL(server.url).port) });

describe('submit --wait', () => {
  test('kill -9 of the server: it says so, and continues when the server is back', async () => {
    const { effects, cwd, server, waiting } = await atTheGate('--json');
    server.child.kill('SIGKILL');
    await says(waiting, `the server at ${server.url} does not answer (`);
    await says(waiting, 'retrying for up to 60 s');
    effects.release('gate');
    await startAgain(server, cwd);
    await says(waiting, `the server at ${server.url} is back`);
    const ran = await waiting.ended;
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(lastJson(ran)).toMatchObject({ status: 'succeeded' });
  });

  test('a server that hangs: it says so, and continues when the server does', async () => {
    const { effects, server, waiting } = await atTheGate();
    server.child.kill('SIGSTOP');
    onTestFinished(() => void server.child.kill('SIGCONT'));
    await says(waiting, `the server at ${server.url} has been silent for 10 s; retrying`);
    server.child.kill('SIGCONT');
    await says(waiting, `the server at ${server.url} is back`);
    effects.release('gate');
    const ran = await waiting.ended;
    expect(ran.status, ran.stderr).toBe(0);
  });

  test('Ctrl-C ends it while the server is away, with what to do next', async () => {
    const { server, waiting } = await atTheGate('--json');
    const [, id] = /^run (\S+) at /m.exec(waiting.stderr()) ?? [];
    server.child.kill('SIGKILL');
    await says(waiting, 'does not answer');
    waiting.child.kill('SIGINT');
    const ran = await waiting.ended;
    expect(ran.status).toBe(130);
    expect(ran.stderr).toContain(`woof events ${id} --server ${server.url} --follow`);
    expect(ran.stdout).toBe('');
  });
});

/** Passes calls on to the server, and closes the connection before the answer. */
async function breakingProxy(server: ServerProcess): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const call = request(`${server.url}${url}`, { method, headers }, (answer) => {
      answer.resume().on('end', () => outgoing.destroy());
    });
    incoming.pipe(call);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe('submit', () => {
  test('a broken connection: the message names the idempotency key with which a retry starts nothing twice', async () => {
    const cwd = temporaryFolder({ 'held.yaml': playbook('- step: start\n  tool: {kind: noop}') });
    const server = await startServer(cwd);
    const { token } = server;
    const broken = await submit({ url: await breakingProxy(server), token }, cwd, '--json').ended;
    expect(broken.status).toBe(1);
    expect(broken.stderr).toContain('the run may have been started');
    const { error } = lastJson<{ error: { fix: string } }>(broken);
    const [, key = ''] = /--key (\S+)/.exec(error.fix) ?? [];
    const again = await submit(server, cwd, '--json', '--key', key).ended;
    expect(again.status, again.stderr).toBe(0);
    const runs = lastJson<{ execution_id: string }[]>(await ask(server, cwd, 'runs', '--json'));
    expect(runs.map((run) => run.execution_id)).toEqual([
      lastJson<{ execution_id: string }>(again).execution_id,
    ]);
  });

  test('no server: nothing was started', async () => {
    const cwd = temporaryFolder({ 'held.yaml': playbook('- step: start\n  tool: {kind: noop}') });
    const server = await startServer(cwd);
    server.child.kill('SIGKILL');
    await server.ended;
    for (const [url, why] of [
      [server.url, 'ECONNREFUSED'],
      ['http://127.0.0.1:1', 'ECONNREFUSED'],
    ] as const) {
      const ran = await submit({ url, token: 'woof_x' }, cwd, '--wait').ended;
      expect(ran.status).toBe(1);
      expect(ran.stderr).toContain(`does not answer (${why}); nothing was started`);
    }
  });

  test('Ctrl-C before the answer: the message names the key', async () => {
    const cwd = temporaryFolder({ 'held.yaml': playbook('- step: start\n  tool: {kind: noop}') });
    let calls = 0;
    const silent = createServer(() => (calls += 1));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const waiting = submit({ url, token: 'woof_x' }, cwd);
    await until('it calls', () => calls === 1);
    waiting.child.kill('SIGINT');
    const ran = await waiting.ended;
    expect(ran).toMatchObject({ status: 130, stdout: '' });
    expect(ran.stderr).toMatch(/the run may have been started; .*--key [\da-f-]{36}/);
  });
});
