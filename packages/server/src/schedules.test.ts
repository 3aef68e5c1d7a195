import { loadState } from '@woof/engine';
import { MemoryStore } from '@woof/stores';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type CalledServer, calledServer, TIDY } from './fixtures/plain-calls.ts';

const NOON = Date.parse('2026-05-04T12:00:00Z');

let now: number;
let one: CalledServer;
beforeEach(async () => {
  now = NOON - 60_000;
  one = await calledServer({ store: new MemoryStore(() => now), now: () => now });
  await one.call('POST', '/v1/documents', { text: TIDY });
});

const asked = { schedule_id: 'tidy', path: 'jobs/tidy', cron: '0 * * * *' };
const create = (more: object = {}) => one.call('POST', '/v1/schedules', { ...asked, ...more });

describe('schedules', () => {
  it('are created, shown with their next times, changed and removed', async () => {
    const made = await create({ timezone: 'Europe/Berlin', cron: '0 6 * * 1-5', payload: { days: 7 } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      schedule_id: 'tidy',
      catch_up: 'skip',
      overlap: 'skip',
      paused: false,
    });
    expect(made.body.next.map((time: number) => new Date(time).toISOString().slice(5, 16))).toEqual([
      '05-05T04:00',
      '05-06T04:00',
      '05-07T04:00',
      '05-08T04:00',
      '05-11T04:00',
      '05-12T04:00',
      '05-13T04:00',
      '05-14T04:00',
      '05-15T04:00',
      '05-18T04:00',
    ]);
    expect((await create()).status).toBe(409);
    const changed = await one.call('PUT', '/v1/schedules/tidy', { path: 'jobs/tidy', cron: '@hourly' });
    expect(changed.body).toMatchObject({ cron: '@hourly', timezone: 'UTC', payload: {} });
    expect((await one.call('GET', '/v1/schedules')).body.schedules).toMatchObject([{ schedule_id: 'tidy' }]);
    expect((await one.call('DELETE', '/v1/schedules/tidy')).status).toBe(204);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/run'],
    ] as const)
      expect((await one.call(method, `/v1/schedules/tidy${path}`)).body.code).toBe('not-found');
  });

  it('past times are started once each, after a dry run lists them', async () => {
    await create();
    const hour = 3_600_000;
    const fill = (body: object) => one.call('POST', '/v1/schedules/tidy/backfill', body);
    const span = { since: NOON - 3 * hour, until: NOON - hour };
    const times = [NOON - 3 * hour, NOON - 2 * hour, NOON - hour];
    const rows = async () => (await one.call('GET', '/v1/executions')).body.executions;
    expect(await fill({ ...span, dry_run: true })).toMatchObject({ status: 200, body: { times } });
    expect(await rows()).toEqual([]);
    const some = await fill({ ...span, since: times[2] });
    expect(some).toMatchObject({ status: 202, body: { started: [{ scheduled_at: times[2] }] } });
    expect((await fill({ ...span, dry_run: true })).body).toEqual({ times: times.slice(0, 2) });
    const rest = await Promise.all([fill(span), fill(span)]);
    expect(
      new Set(
        rest.flatMap(({ body }) => body.started.map((run: { execution_id: string }) => run.execution_id)),
      ).size,
    ).toBe(2);
    expect((await fill(span)).body).toEqual({ started: [] });
    expect(await rows()).toHaveLength(3);
    const state = await loadState(one.store, some.body.started[0].execution_id);
    expect(state?.execution_id).toBe(some.body.started[0].execution_id);
  });

  it('past times whose runs may have been removed are refused', async () => {
    one = await calledServer({ store: new MemoryStore(() => now), now: () => now, keepDays: 7 });
    await one.call('POST', '/v1/documents', { text: TIDY });
    await create();
    const day = 86_400_000;
    const fill = (days: number) =>
      one.call('POST', '/v1/schedules/tidy/backfill', { since: now - days * day, until: now, dry_run: true });
    expect((await fill(6)).status).toBe(200);
    const { status, body } = await fill(8);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('removes runs after 7 days')]);
  });

  it('an invalid span of past times is refused', async () => {
    await create();
    const fill = async (body: object) => (await one.call('POST', '/v1/schedules/tidy/backfill', body)).body;
    expect(await fill({ since: now, until: now - 1 })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('later than until'),
    });
    expect(await fill({ since: 0, until: now + 1 })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('in the future'),
    });
    expect(await fill({ since: 0, until: now })).toMatchObject({
      status: 400,
      detail: expect.stringContaining('more than 1000 start times'),
    });
    for (const body of [{}, { since: -1, until: 5 }, { since: 1.5, until: 5 }, { since: '1', until: 5 }])
      expect((await fill(body)).status).toBe(400);
    expect((await one.call('POST', '/v1/schedules/none/backfill', { since: 1, until: 2 })).status).toBe(404);
  });

  it.each([
    [
      { cron: '0 25 * * *' },
      'cron "0 25 * * *", column 3: hour: expected 0-23, got "25"; for example "0 6,18 * * *"',
    ],
    [{ timezone: 'berlin' }, 'timezone: there is no time zone "berlin"; did you mean "Europe/Berlin"?'],
    [
      { timezone: 'Mars' },
      'timezone: there is no time zone "Mars"; a name looks like "Europe/Berlin" or "UTC"',
    ],
    [
      { payload: { text: 'x'.repeat(70_000) } },
      'payload: it exceeds 64 KiB; let the document fetch larger values',
    ],
    [{ path: 'jobs/none' }, 'no document is registered under "jobs/none"'],
  ])('%j is refused', async (more, detail) => {
    const { status, body } = await create(more);
    expect([400, 404, 413]).toContain(status);
    expect(body.detail).toBe(detail);
  });

  it('are listed in pages', async () => {
    for (const schedule_id of ['a', 'b', 'c']) await create({ schedule_id });
    const first = (await one.call('GET', '/v1/schedules?limit=2')).body;
    expect([first.schedules.length, first.next]).toEqual([2, 'b']);
    const second = (await one.call('GET', '/v1/schedules?limit=2&after=b')).body;
    expect(second).toMatchObject({ schedules: [{ schedule_id: 'c' }] });
    expect(second.next).toBeUndefined();
  });

  it('say where the mistake in a cron expression is', async () => {
    expect((await create({ cron: '0 25 * * *' })).body).toMatchObject({ column: 3, end_column: 5 });
  });

  it('start runs of the document, with the payload over its workload', async () => {
    await create({ payload: { days: 7 } });
    now = NOON;
    await vi.waitFor(async () => {
      const { body } = await one.call('GET', '/v1/schedules/tidy');
      expect(body.runs).toMatchObject([{ due_at: NOON, state: 'started', status: 'running' }]);
    }, 500_000);
    const [row] = await one.store.executions();
    const state = await loadState(one.store, row!.execution_id);
    expect(state!.workload).toEqual({ days: 7, region: 'eu' });
    expect(row).toMatchObject({ name: 'tidy', path: 'jobs/tidy' });
    const metrics = await one.call('GET', '/metrics');
    expect(metrics.text).toContain('woof_scheduled_runs_total{outcome="started"} 1');
    expect(one.faults).toEqual([]);
  });

  it('pause, resume without catching up, and run on demand', async () => {
    await create({ catch_up: 'all' });
    const paused = await one.call('POST', '/v1/schedules/tidy/pause');
    expect(paused.body).toMatchObject({ paused: true, next: [] });
    now = NOON + 7_200_000;
    const { body, status } = await one.call('POST', '/v1/schedules/tidy/run');
    expect(status).toBe(201);
    expect(body).toMatchObject({ state: 'started', manual: true, status: 'running' });
    await one.call('POST', '/v1/schedules/tidy/resume');
    const shown = (await one.call('GET', '/v1/schedules/tidy')).body;
    expect(shown.runs).toHaveLength(1);
    expect(shown.next[0]).toBe(NOON + 3 * 3_600_000);
  });

  it('say why a run could not be started', async () => {
    await create();
    await one.call('DELETE', '/v1/documents/jobs%2Ftidy');
    const { body } = await one.call('POST', '/v1/schedules/tidy/run');
    expect(body).toMatchObject({ state: 'failed', note: 'no document is registered under "jobs/tidy"' });
  });
});
