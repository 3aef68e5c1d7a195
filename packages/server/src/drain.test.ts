/** A worker that is told to drain finishes its jobs and gets no new ones. A server reports what it is doing. */
import { DRAINS } from '@woof/engine';
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

const resume = (test: TestServer, id: string) =>
  test.as('operator').call('workers.resume', { params: { id } });

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

/** Starts worker "one". Returns whether it has reported that it drained. */
function workerThatTells(test: TestServer): () => boolean {
  let isDrained = false;
  const onDrained = () => {
    isDrained = true;
  };
  testWorker(test, { id: 'one', onDrained });
  return () => isDrained;
}

it('takes no new job, even while its claim waits; another worker does', async () => {
  const test = await testServer();
  const waiting = claim(test, 'one');
  await until('it is known', async () => (await test.store.members('worker')).length === 1);
  expect(await drain(test, 'one')).toEqual({ id: 'one', draining: true });
  const id = await start(test);
  expect((await claim(test, 'two')).jobs).toMatchObject([{ execution_id: id }]);
  await test.as('worker').call('work.leave', { body: { worker: 'one' } });
  expect((await waiting).jobs).toEqual([]);
  // The control: without the drain, the first worker gets it.
  const control = await testServer();
  const undrained = claim(control, 'one');
  await start(control);
  expect((await undrained).jobs).toHaveLength(1);
});

it('keeps its jobs, and learns of the drain with its next heartbeat', async () => {
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

it('renews the record of a worker that is alive, so that the drain does not end by itself', async () => {
  const test = await testServer();
  await beat(test, 'one');
  await drain(test, 'one');
  await test.store.records.put(DRAINS, 'one', { at: 0 });
  expect(await beat(test, 'one')).toMatchObject({ drain: true });
  expect((await test.store.records.get(DRAINS, 'one'))!.value.at).toBeGreaterThan(0);
});

it('takes jobs again when it is resumed, also while its claim waits', async () => {
  const test = await testServer({ ttlMs: 300 });
  testWorker(test, { id: 'one' });
  await until('it is known', async () => (await test.store.members('worker')).length === 1);
  await drain(test, 'one');
  const id = await start(test);
  expect(await resume(test, 'one')).toEqual({ id: 'one', draining: false });
  expect(await ended(test.as('viewer'), id)).toBe('succeeded');
  expect(await beat(test, 'one')).not.toHaveProperty('drain');
  await expect(resume(test, 'two')).rejects.toMatchObject({ status: 404 });
});

it('takes jobs again after it has heard that it drains', async () => {
  const test = await testServer({ ttlMs: 300 });
  const isDrained = workerThatTells(test);
  await until('it is known', async () => (await test.store.members('worker')).length === 1);
  await drain(test, 'one');
  await until('it has drained', isDrained);
  const id = await start(test);
  await resume(test, 'one');
  expect(await ended(test.as('viewer'), id)).toBe('succeeded');
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

it('a worker reports when its last job has ended', async () => {
  const test = await testServer({ ttlMs: 300 });
  const isDrained = workerThatTells(test);
  expect(await ended(test.as('viewer'), await start(test))).toBe('succeeded');
  expect(isDrained()).toBe(false);
  await drain(test, 'one');
  await until('it has drained', isDrained);
  const id = await start(test);
  testWorker(test, { id: 'two' });
  expect(await ended(test.as('viewer'), id)).toBe('succeeded');
});

it('server.get reports which process answers and what it is doing', async () => {
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

it('server.stop asks the process to stop, and needs an admin', async () => {
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
