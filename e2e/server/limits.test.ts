/** Documents that need more than a server can hold: they wait or fail, and others continue. */
import { Client, followEvents } from '@woof/client';
import { expect, onTestFinished, test } from 'vitest';
import { playbook, temporaryFolder, until } from '../cli/woof.ts';
import { type ServerProcess, startServer } from './machines.ts';

const parallel = (items: number) =>
  `in: "{{ range(${items}) }}", spec: {mode: parallel, max_in_flight: ${items}}`;

/** `outer` times `inner` iterations, all of which may run at once. */
const nested = (outer: number, inner: number) =>
  playbook(`- step: start
  loop: {${parallel(outer)}, iterator: a, loop: {${parallel(inner)}, iterator: b}}
  tool: {kind: noop, result: "{{ a * 1000 + b }}"}`);

const endless = playbook(`- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: start}, {step: start}]}`);

const harmless = playbook(`- step: start
  tool: {kind: noop, result: 1}
  next: {arcs: [{step: then}]}
- step: then
  tool: {kind: noop, result: "{{ start + 1 }}"}`);

async function upWith(cwd: string, ...limits: string[]): Promise<ServerProcess> {
  const more = ['--rate', '100000', ...limits.flatMap((limit) => ['--limit', limit])];
  const server = await startServer(cwd, { verb: 'up', more });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

async function submit(server: ServerProcess, text: string): Promise<string> {
  const { execution_id } = await new Client(server).call('executions.start', { body: { text } });
  return execution_id;
}

async function ended(server: ServerProcess, id: string) {
  const client = new Client(server);
  for await (const _ of followEvents(client, id));
  return client.call('executions.get', { params: { id } });
}

test('a nested loop that needs more jobs than it may have gives the same result', async () => {
  const server = await upWith(temporaryFolder({}), 'jobs=20', 'loops=5');
  const end = await ended(server, await submit(server, nested(12, 9)));
  expect(end.status).toBe('succeeded');
  const { results } = end.steps.start!.result as { results: { results: number[] }[] };
  expect(results.map(({ results: inner }) => inner)).toEqual(
    Array.from({ length: 12 }, (_, a) => Array.from({ length: 9 }, (_, b) => a * 1000 + b)),
  );
});

test('one that grows without end fails, and says why; others do not notice', async () => {
  const server = await upWith(temporaryFolder({}), 'tokens=500', 'jobs=100');
  const grown = await submit(server, endless);
  const others = await Promise.all(Array.from({ length: 20 }, () => submit(server, harmless)));
  for (const id of others) expect(await ended(server, id)).toMatchObject({ status: 'succeeded' });
  const end = await ended(server, grown);
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('--limit tokens=N') });
});

test('a playbook that calls itself in a loop ends with all that it started; others do not notice', async () => {
  const server = await upWith(temporaryFolder({}), 'nested_runs=60');
  const client = new Client(server);
  const text = playbook(`- step: start
  loop: {${parallel(20)}, iterator: n}
  tool: {kind: playbook, path: fork}`);
  await client.call('documents.register', { body: { text, path: 'fork' } });
  const { execution_id: fork } = await client.call('executions.start', { body: { path: 'fork' } });
  const others = await Promise.all(Array.from({ length: 20 }, () => submit(server, harmless)));
  for (const id of others) expect(await ended(server, id)).toMatchObject({ status: 'succeeded' });
  const end = await ended(server, fork);
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('--limit nested_runs=N') });
  await until('all that it started has ended', async () => {
    const { executions } = await client.call('executions.list', { query: { status: 'running', limit: 1 } });
    return executions.length === 0;
  });
});

test('kill -9 in the midst of such documents: the server comes back and serves the rest', async () => {
  const cwd = temporaryFolder({});
  const limits = ['jobs=500', 'tokens=2000'];
  let server = await upWith(cwd, ...limits);
  const large = await submit(server, nested(3000, 3000));
  const grown = await submit(server, endless);
  const others: string[] = [];
  for (let round = 0; round < 2; round++) {
    others.push(await submit(server, harmless));
    expect(await new Client(server).call('executions.row', { params: { id: large } })).toMatchObject({
      status: 'running',
    });
    server.child.kill('SIGKILL');
    await server.ended;
    server = await upWith(cwd, ...limits);
  }
  others.push(await submit(server, harmless));
  for (const id of others) expect(await ended(server, id)).toMatchObject({ status: 'succeeded' });
  expect(await ended(server, grown)).toMatchObject({ status: 'failed' });
  await new Client(server).call('executions.cancel', { params: { id: large }, body: {} });
  expect(await ended(server, large)).toMatchObject({ status: 'cancelled' });
});

test('a run too large to be loaded fails without being loaded', async () => {
  const cwd = temporaryFolder({});
  const arcs = Array.from({ length: 60 }, () => '{step: last}').join(', ');
  const crowd = playbook(`- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: held}, ${arcs}]}
- step: held
  tool: {kind: wait, seconds: 3600}
  next: {arcs: [{step: last}]}
- step: last
  spec: {join: all}
  tool: {kind: noop}`);
  const before = await upWith(cwd);
  const id = await submit(before, crowd);
  await until('the run waits', async () => {
    const { steps } = await new Client(before).call('executions.get', { params: { id } });
    return steps.held?.status === 'running';
  });
  before.child.kill('SIGKILL');
  await before.ended;
  const server = await upWith(cwd, 'tokens=10');
  const { status, error } = await ended(server, id);
  expect(status).toBe('failed');
  expect(error).toMatch(/cannot continue this run.*6\d tokens, and the limit is 10/);
  expect(await ended(server, await submit(server, harmless))).toMatchObject({ status: 'succeeded' });
});
