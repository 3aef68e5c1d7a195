/** Lists, counts and gates over HTTP. The stores' tests cover what a filter means; these check that it arrives. */
import { RemoteStore } from '@woof/client';
import type { ListQuery } from '@woof/stores';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ONE_STEP,
  playbook,
  type TestServer,
  testServer,
  testWorker,
  until,
} from './fixtures/test-server.ts';

const GATES = playbook(`- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: ask}, {step: busy}]}
- step: ask
  tool: {kind: gate, message: "ship it?"}
- step: busy
  tool: {kind: wait, seconds: 3600}`);

describe('lists', () => {
  const ends: (() => unknown)[] = [];
  let test: TestServer;
  const ids: string[] = [];
  beforeAll(async () => {
    test = await testServer({}, (end) => ends.push(end));
    const client = test.as('operator');
    for (const region of ['eu', 'us', 'eu']) {
      const body = {
        text: ONE_STEP,
        file: `${region}.yaml`,
        payload: { region, big: 'x'.repeat(300), deep: {} },
      };
      ids.push((await client.call('executions.start', { body })).execution_id);
    }
    await client.call('executions.cancel', { params: { id: ids[1]! }, body: { reason: 'Not Today' } });
    return async () => {
      for (const end of ends.reverse()) await end();
    };
  });

  const found = async (query: ListQuery) => {
    const { executions } = await new RemoteStore(test.as('viewer')).list(query);
    return executions.map((row) => ids.indexOf(row.execution_id));
  };

  it('by every filter', async () => {
    const row = await test.as('viewer').call('executions.row', { params: { id: ids[1]! } });
    expect(await found({})).toEqual([2, 1, 0]);
    expect(await found({ order: 'oldest' })).toEqual([0, 1, 2]);
    expect(await found({ status: ['cancelled', 'paused'] })).toEqual([1]);
    expect(await found({ kind: 'playbook', name: 'test', roots: true })).toEqual([2, 1, 0]);
    expect(await found({ q: 'TODAY' })).toEqual([1]);
    expect(await found({ q: 'eu.ya' })).toEqual([2, 0]);
    expect(await found({ q: ids[2]!.slice(4) })).toEqual([2]);
    expect(await found({ workload: { region: 'eu', n: '1' } })).toEqual([2, 0]);
    expect(await found({ workload: { big: 'x'.repeat(200) } })).toEqual([]);
    expect(await found({ since: row.started_at })).toContain(1);
    expect(await found({ until: row.started_at })).not.toContain(1);
    expect(await found({ ended_since: row.ended_at!, ended_until: row.ended_at! + 1 })).toEqual([1]);
    expect(await found({ ended_until: row.ended_at! })).toEqual([]);
  });

  it('a page after a run that does not exist is refused, and not empty', async () => {
    const page = new RemoteStore(test.as('viewer')).list({ before: 'removed' });
    await expect(page).rejects.toMatchObject({ code: 'request/conflict', message: /first page/ });
  });

  it('in pages, in both orders', async () => {
    for (const order of ['newest', 'oldest'] as const) {
      const first = await new RemoteStore(test.as('viewer')).list({ order, limit: 2 });
      const rest = await found({ order, before: first.next! });
      expect(rest).toEqual([order === 'newest' ? 0 : 2]);
    }
  });

  it.each([
    ['status=asleep', /status/],
    ['status=', /status/],
    ['colour=red', /unknown filter "colour"/],
    ['workload.=x', /unknown filter "workload\."/],
    ['workload.a=1&workload.a=2', /unknown filter "workload\.a"/],
    [`workload.a=${'x'.repeat(201)}`, /longer than 200/],
    [`q=${'x'.repeat(201)}`, /q/],
    ['q=', /q/],
    ['since=yesterday', /since/],
    ['order=random', /order/],
    ['constructor=1', /unknown filter "constructor"/],
  ])('refuse %s', async (query, detail) => {
    const response = await fetch(`${test.url}/v1/executions?${query}`, {
      headers: { authorization: `Bearer ${test.tokens.viewer}` },
    });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toMatch(detail);
  });

  it('count root executions by status', async () => {
    const { counts } = await test.as('viewer').call('executions.counts');
    expect(counts).toEqual({ running: 2, paused: 0, needs_human: 0, succeeded: 0, failed: 0, cancelled: 1 });
  });

  it('name the run that a rerun continues', async () => {
    const id = ids[1]!;
    const rerun = await test.as('operator').call('executions.rerun', { params: { id }, body: {} });
    const { execution_id } = rerun as { execution_id: string };
    const row = await test.as('viewer').call('executions.row', { params: { id: execution_id } });
    expect(row).toMatchObject({ rerun_of: id });
  });
});

it('gates are found while other steps of the run continue', async () => {
  const test = await testServer();
  testWorker(test);
  const client = test.as('operator');
  const { execution_id: id } = await client.call('executions.start', { body: { text: GATES } });
  const gates = async () => (await client.call('executions.gates')).gates;
  await until('a step waits', async () => (await gates()).length > 0);
  const row = await client.call('executions.row', { params: { id } });
  expect(row).toMatchObject({ status: 'running', asks: true });
  const { events } = await client.call('executions.events', { params: { id } });
  const parked = events.find(({ name, step }) => name === 'job.parked' && step === 'ask')!;
  const gate = { execution_id: id, name: 'test', step: 'ask', message: 'ship it?' };
  expect(await gates()).toEqual([{ ...gate, since: Date.parse(parked.timestamp) }]);
  await client.call('executions.approve', { params: { id }, body: { step: 'ask' } });
  expect(await gates()).toEqual([]);
});
