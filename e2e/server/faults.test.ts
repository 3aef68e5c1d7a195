/** Processes that die or are stopped: nothing recorded is lost, and nothing recorded is done again. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { lastJson, playbook, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { ask, type ServerProcess, startServer, startWorker } from './machines.ts';

/** Counts, waits until it is released, then counts again. */
function threeEffects(url: string): string {
  const call = (label: string, path: string) => `      - ${label}: {kind: http, url: "${url}${path}"}\n`;
  const tools = call('before', '/count/before') + call('held', '/hold/gate') + call('after', '/count/after');
  return playbook(`- step: start\n  tool:\n${tools.replaceAll(/^ {2}/gm, '')}`);
}

async function submit(server: ServerProcess, cwd: string, file: string): Promise<string> {
  const ran = await ask(server, cwd, 'submit', file, '--json');
  expect(ran.status, ran.stderr).toBe(0);
  return lastJson<{ execution_id: string }>(ran).execution_id;
}

async function end(server: ServerProcess, id: string): Promise<{ status: string; events: Envelope[] }> {
  const client = new Client(server);
  const events: Envelope[] = [];
  for await (const envelope of followEvents(client, id)) events.push(envelope);
  const { status } = await client.call('executions.row', { params: { id } });
  return { status, events };
}

const workersOf = (events: readonly Envelope[]) =>
  events.flatMap(({ name, data }) => (name === 'job.leased' ? [data.worker] : []));

describe('faults', () => {
  test('kill -9 of a worker: its job goes to another, which continues where the records end', async () => {
    const effects = await startEffectServer();
    const cwd = temporaryFolder({ 'three.yaml': threeEffects(effects.url) });
    const server = await startServer(cwd);
    const first = await startWorker(server, cwd);
    const id = await submit(server, cwd, 'three.yaml');
    await until('the first worker is at the gate', () => effects.count('/hold/gate') === 1);
    const second = await startWorker(server, cwd);
    first.child.kill('SIGKILL');
    await until('the second worker is at the gate', () => effects.count('/hold/gate') === 2);
    effects.release('gate');
    const { status, events } = await end(server, id);
    expect(status).toBe('succeeded');
    expect(workersOf(events)).toEqual([first.id, second.id]);
    expect(events.filter(({ name }) => name === 'job.expired')).toHaveLength(1);
    expect([effects.count('/count/before'), effects.count('/count/after')]).toEqual([1, 1]);
  });

  test('a worker that is asked to stop hands back what does not end in time', async () => {
    const effects = await startEffectServer();
    const cwd = temporaryFolder({ 'three.yaml': threeEffects(effects.url) });
    const server = await startServer(cwd);
    const first = await startWorker(server, cwd, '--grace', '0.2');
    const id = await submit(server, cwd, 'three.yaml');
    await until('it is at the gate', () => effects.count('/hold/gate') === 1);
    const second = await startWorker(server, cwd);
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ status: 0 });
    await until('the other is at the gate', () => effects.count('/hold/gate') === 2);
    effects.release('gate');
    const { status, events } = await end(server, id);
    expect(status).toBe('succeeded');
    expect(workersOf(events)).toEqual([first.id, second.id]);
    expect(events.filter(({ name }) => name === 'job.released')).toHaveLength(1);
    expect(effects.count('/count/before')).toBe(1);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'a server that ends by %s and restarts: its listeners miss nothing, its workers continue',
    async (signal) => {
      const effects = await startEffectServer();
      const cwd = temporaryFolder({ 'three.yaml': threeEffects(effects.url) });
      const server = await startServer(cwd);
      const worker = await startWorker(server, cwd);
      const id = await submit(server, cwd, 'three.yaml');
      await until('the worker is at the gate', () => effects.count('/hold/gate') === 1);
      const heard: number[] = [];
      const listening = (async () => {
        for await (const { seq } of followEvents(new Client(server), id)) heard.push(seq);
      })();
      await until('the listener hears', () => heard.length > 5);
      server.child.kill(signal);
      await server.ended;
      const again = await startServer(cwd, { port: Number(new URL(server.url).port) });
      expect(again.token).toBe(server.token);
      effects.release('gate');
      await listening;
      const { status, events } = await end(again, id);
      expect(status).toBe('succeeded');
      expect(heard).toEqual(events.map(({ seq }) => seq));
      expect(new Set(workersOf(events))).toEqual(new Set([worker.id]));
      expect([effects.count('/count/before'), effects.count('/count/after')]).toEqual([1, 1]);
    },
  );

  test('a second server on the same directory is told who has it', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd);
    await expect(startServer(cwd)).rejects.toThrow(`another woof server (pid ${server.child.pid})`);
  });

  test('a worker whose token is revoked, or wrong, ends and says why', async () => {
    const cwd = temporaryFolder();
    const server = await startServer(cwd);
    const made = await ask(server, cwd, 'token', 'create', 'farm', '--role', 'worker', '--json');
    const { id, token } = lastJson<{ id: string; token: string }>(made);
    const worker = await startWorker({ url: server.url, token }, cwd);
    const denied = await ask({ url: server.url, token }, cwd, 'runs');
    expect(denied).toMatchObject({ status: 1, stderr: expect.stringContaining('needs the role viewer') });
    await ask(server, cwd, 'token', 'revoke', id);
    expect(await worker.ended).toMatchObject({ status: 1, stderr: expect.stringContaining('revoked') });
    const unknown = ask({ url: server.url, token: 'woof_nonsense' }, cwd, 'worker');
    expect(await unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('woof token create') });
  });

  test('no server: the command says so, and how to fix it', async () => {
    const cwd = temporaryFolder();
    const ran = await ask({ url: 'http://127.0.0.1:1', token: '' }, cwd, 'runs');
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining('does not answer') });
  });
});

describeUnless(postgresReason())('several servers on one Postgres', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.dispose());

  test('kill -9 of the server that drives a run: another takes it over; every server answers', async () => {
    const effects = await startEffectServer();
    const cwd = temporaryFolder({ 'three.yaml': threeEffects(effects.url) });
    const more = ['--store', postgres.url()];
    const first = await startServer(cwd, { data: `${cwd}/first`, more });
    const started = await startServer(cwd, { data: `${cwd}/second`, more });
    expect(started.token).toBeNull();
    const second = { ...started, token: first.token };
    const lost = await startWorker(first, cwd);
    const worker = await startWorker(second, cwd);
    const id = await submit(first, cwd, 'three.yaml');
    await until('a worker is at the gate', () => effects.count('/hold/gate') >= 1);
    const shown = await ask({ url: second.url, token: first.token }, cwd, 'show', 'last', '--json');
    expect(lastJson(shown)).toMatchObject({ execution_id: id, status: 'running' });
    first.child.kill('SIGKILL');
    lost.child.kill('SIGKILL');
    await until('another worker is at the gate', () => effects.count('/hold/gate') >= 2);
    effects.release('gate');
    const { status, events } = await end(second, id);
    expect(status).toBe('succeeded');
    expect(workersOf(events).at(-1)).toBe(worker.id);
    const { driver } = await new Client(second).call('executions.row', { params: { id } });
    expect(driver).toContain(`-${second.child.pid}-`);
    expect([effects.count('/count/before'), effects.count('/count/after')]).toEqual([1, 1]);
  });

  test('servers share a folder: each keeps its token, and the one that left is not believed', async () => {
    const cwd = temporaryFolder();
    const env = { WOOF_STORE: postgres.url(), WOOF_DATA: join(cwd, 'data') };
    const here = (...args: string[]) => runWoof(args, { cwd, env });
    const [up, listen] = [
      ['up', '--detach'],
      ['--listen', '127.0.0.1:0'],
    ];
    const onSqlite = await startServer(cwd);
    const started = await here(...up, '--json', '--new-admin-token', ...listen);
    const detached = lastJson<{ url: string; pid: number; started: boolean; token: string }>(started);
    onTestFinished(() => endIfThere(detached.pid));
    expect(detached.started).toBe(true);
    const second = await startServer(cwd, { more: ['--store', postgres.url()] });
    expect(second.token).toBe(detached.token);
    await until('it warns', () => second.stderr().includes('commands here use that one'));
    second.child.kill('SIGTERM');
    expect((await second.ended).status).toBe(0);
    const listener = await listenOn(second.url);
    await here('runs', '--server', second.url);
    expect(listener.asked).toEqual([undefined]);
    const heard = await here('server', 'status', '--json', '--server', detached.url);
    expect(lastJson(heard)).toMatchObject({ pid: detached.pid });
    expect((await here(...up, ...listen)).stderr).toContain(`${detached.url} already (pid ${detached.pid})`);
    expect(await here('server', 'stop')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`woof server stop --server ${onSqlite.url}`),
    });
    expect(await here('server', 'stop', '--server', onSqlite.url)).toMatchObject({ status: 0 });
    expect(lastJson(await here('server', 'status', '--json'))).toMatchObject({ url: detached.url });
    expect(await here('server', 'stop')).toMatchObject({ status: 0 });
    expect(() => process.kill(detached.pid, 0)).toThrow();
    expect((await startServer(cwd)).token).toBe(onSqlite.token);
    const other = join(cwd, 'other folder');
    mkdirSync(other);
    writeFileSync(join(other, 'database-server.json'), 'null');
    const stopOther = (...more: string[]) => here('server', 'stop', '--data', other, ...more);
    const unknown = (await here(...up, ...listen, '--data', other)).stderr;
    const pid = Number(/pid (\d+)/.exec(unknown)?.[1]);
    onTestFinished(() => endIfThere(pid));
    expect(unknown).toContain('start with --new-admin-token');
    expect(unknown).toContain(`woof server stop --data '${other}' --token TOKEN, or kill ${pid}`);
    expect(await stopOther()).toMatchObject({ status: 1, stderr: expect.stringContaining(`kill ${pid}`) });
    expect(await stopOther('--token', detached.token)).toMatchObject({ status: 0 });
  });

  test('up --detach leaves no process behind if its terminal closes during the start', async () => {
    const cwd = temporaryFolder();
    // A database that accepts a connection and never says anything.
    const silent = createTcpServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection') as Promise<[Socket]>;
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const env = { WOOF_STORE: `postgres://me@127.0.0.1:${port}/none`, WOOF_DATA: join(cwd, 'data') };
    const detaching = startWoof(['up', '--detach', '--listen', '127.0.0.1:0'], { cwd, env });
    const [socket] = await connected;
    onTestFinished(() => void socket.destroy());
    const childLeft = once(
      socket.resume().on('error', () => {}),
      'close',
    );
    detaching.child.kill('SIGHUP');
    expect((await detaching.ended).status).toBe(130);
    await childLeft;
  });
});

/** Another program that listens at the address of a former server. Records the tokens that callers send. */
async function listenOn(url: string): Promise<{ asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const listener = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.writeHead(404).end();
  });
  onTestFinished(() => {
    listener.close();
  });
  await new Promise<void>((resolve) => listener.listen(Number(new URL(url).port), '127.0.0.1', resolve));
  return { asked };
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}
