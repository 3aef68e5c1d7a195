/** A worker that is told to drain finishes what it has, and gets nothing more; a server tells what it is doing. */
import type { ClaimAnswer } from '@woof/protocol';
import { expect, it } from 'vitest';
import {
  ended,
  infoOf,
  ONE_STEP,
  type TestServer,
  testServer,
  testWorker,
  until,
} from './fixtures/test-server.ts';

const start = async (test: TestServer) =>
  (await test.as('operator').call('executions.start', { body: { text: ONE_STEP } })).execution_id;

const drain = (test: TestServer, id: string) => test.as('operator').call('workers.drain', { params: { id } });

function claim(test: TestServer, worker: string): Promise<ClaimAnswer> {
  const body = { ...infoOf(worker), free: 1, wait_ms: 20_000 };
  return test.as('worker').call('work.claim', { body }) as unknown as Promise<ClaimAnswer>;
}

const beat = (test: TestServer, worker: string, jobs: ClaimAnswer['jobs'] = []) =>
  test.as('worker').call('work.beat', {
    body: {
      ...infoOf(worker),
      jobs: jobs.map(({ execution_id, job_id, fence }) => ({ execution_id, job_id, fence })),
    },
  });

it('takes no new job, also while its claim waits; another worker does', async () => {
  const test = await testServer();
  const waiting = claim(test, 'one');
  await until('it is known', async () => (await test.store.members('worker')).length === 1);
  expect(await drain(test, 'one')).toEqual({ id: 'one', draining: true });
  const id = await start(test);
  expect((await claim(test, 'two')).jobs).toMatchObject([{ execution_id: id }]);
  await test.as('worker').call('work.leave', { body: { worker: 'one' } });
  expect((await waiting).jobs).toEqual([]);
  // The control: without the drain the first one gets it.
  const control = await testServer();
  const undrained = claim(control, 'one');
  await start(control);
  expect((await undrained).jobs).toHaveLength(1);
});

it('keeps the jobs that it has, and hears of it with its next beat', async () => {
  const test = await testServer();
  await start(test);
  const { jobs } = await claim(test, 'one');
  expect(await beat(test, 'one', jobs)).not.toHaveProperty('drain');
  await drain(test, 'one');
  await drain(test, 'one');
  expect(await beat(test, 'one', jobs)).toMatchObject({ drain: true, stop: [] });
  const { workers } = await test.as('viewer').call('workers.list');
  expect(workers).toMatchObject([{ id: 'one', draining: true, info: { jobs: [expect.any(String)] } }]);
});

it('a name that left is nobody’s, and begins anew', async () => {
  const test = await testServer();
  await expect(drain(test, 'one')).rejects.toMatchObject({ status: 404 });
  await beat(test, 'one');
  await drain(test, 'one');
  await test.as('worker').call('work.leave', { body: { worker: 'one' } });
  await expect(drain(test, 'one')).rejects.toMatchObject({ status: 404 });
  expect(await beat(test, 'one')).not.toHaveProperty('drain');
});

it('a worker tells when its last job has ended', async () => {
  const test = await testServer({ ttlMs: 300 });
  let isDrained = false;
  testWorker(test, {
    id: 'one',
    onDrained: () => {
      isDrained = true;
    },
  });
  expect(await ended(test.as('viewer'), await start(test))).toBe('succeeded');
  expect(isDrained).toBe(false);
  await drain(test, 'one');
  await until('it has drained', () => isDrained);
  const id = await start(test);
  testWorker(test, { id: 'two' });
  expect(await ended(test.as('viewer'), id)).toBe('succeeded');
});

it('server.get tells which process answers, and what it is doing', async () => {
  const test = await testServer({ storeKind: 'sqlite' });
  await start(test);
  await beat(test, 'one');
  expect(await test.as('viewer').call('server.get')).toMatchObject({
    id: test.server.id,
    pid: process.pid,
    version: 'test',
    store: 'sqlite',
    running: 1,
    interrupted: 0,
    waiting_jobs: 1,
    workers: 1,
    draining: 0,
  });
  await drain(test, 'one');
  expect(await test.as('viewer').call('server.get')).toMatchObject({ workers: 1, draining: 1 });
});

it('server.stop asks the process to stop, and only an admin may', async () => {
  let asked = 0;
  const test = await testServer({
    onStopAsked: () => {
      asked += 1;
    },
  });
  await expect(test.as('operator').call('server.stop')).rejects.toMatchObject({ status: 403 });
  expect(asked).toBe(0);
  expect(await test.as('admin').call('server.stop')).toMatchObject({ pid: process.pid });
  expect(asked).toBe(1);
});
