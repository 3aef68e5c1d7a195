import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { FileBlobs, MemoryStore, type Records } from '@woof/stores';
import { openPostgres } from '@woof/stores/postgres';
import { describeUnless, plan, postgresReason, startPostgres, step, task } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../engine.ts';
import type { Executor } from '../executor.ts';
import { newExecutionId } from '../ids.ts';
import { loadState } from '../replay.ts';
import type { Schedule } from './schedule.ts';
import { SCHEDULES, Scheduler, type SchedulerOptions } from './scheduler.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-05-04T12:00:00Z');
const PLAN = plan([step('s', { tasks: [task('t')] })]);

/** Takes no job, so that executions continue until they are cancelled. */
const nobody: Executor = {
  freeSlots: () => 0,
  place: () => undefined,
  unplace: () => {},
  execute: () => {},
  startsPure: () => false,
  abort: () => {},
};

let folder: string;
let now: number;
let store: MemoryStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-schedules-'));
  now = NOON - 30 * MINUTE;
  store = new MemoryStore(() => now);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One server's part, on the store in memory or on a shared one. */
function server(name: string, more: Partial<SchedulerOptions> = {}) {
  const shared = more.store ?? store;
  const blobs = new FileBlobs(join(folder, 'blobs'));
  const engine = new Engine({ store: shared, blobs, executor: nobody, driver: name, now: () => now });
  const faults: unknown[] = [];
  const starts: string[] = [];
  const scheduler = new Scheduler({
    store,
    everyMs: 1,
    now: () => now,
    newId: () => newExecutionId(now),
    start: async ({ payload }, { execution_id: executionId }) => {
      starts.push(executionId);
      await engine.start({ plan: PLAN, source: {}, workload: payload, executionId });
      return undefined;
    },
    cancel: async (id, reason) => {
      await engine.command(id, { type: 'CancelExecution', reason });
    },
    onFault: (error) => faults.push(error),
    ...more,
  });
  return { engine, scheduler, faults, starts };
}

async function add(more: Partial<Schedule> = {}, records: Records = store.records): Promise<void> {
  const schedule: Schedule = {
    schedule_id: 'tidy',
    cron: '0 * * * *',
    timezone: 'UTC',
    catch_up: 'skip',
    overlap: 'allow',
    path: 'jobs/tidy',
    payload: { who: 'me' },
    paused: false,
    created_at: now,
    settled_until: now,
    runs: [],
    ...more,
  };
  await records.put(SCHEDULES, schedule.schedule_id, schedule as unknown as JsonObject);
}

async function runsOf(id = 'tidy'): Promise<string[]> {
  const stored = await store.records.get(SCHEDULES, id);
  const { runs } = stored!.value as unknown as Schedule;
  return runs.map((run) => run.state).reverse();
}

describe('a scheduler', () => {
  it('starts what is due, with its payload, and no earlier', async () => {
    await add();
    const { scheduler } = server('a');
    await scheduler.round();
    expect(await store.executions()).toEqual([]);
    now = NOON;
    await scheduler.round();
    await scheduler.round();
    const rows = await store.executions();
    expect(rows).toMatchObject([
      { status: 'running', execution_id: expect.stringMatching(/^20260504-120000-/) },
    ]);
    expect((await loadState(store, rows[0]!.execution_id))?.workload).toEqual({ who: 'me' });
    expect(await runsOf()).toEqual(['started']);
  });

  it('starts each due time once, however many servers there are', async () => {
    for (let each = 0; each < 10; each += 1) await add({ schedule_id: `s${each}` });
    const servers = ['a', 'b', 'c'].map((name) => server(name));
    for (const hour of [0, 1, 2]) {
      now = NOON + hour * 60 * MINUTE;
      await Promise.all(servers.map(({ scheduler }) => scheduler.round()));
      await Promise.all(servers.map(({ scheduler }) => scheduler.round()));
    }
    expect(await store.executions()).toHaveLength(30);
    // The record decided, not the log: no server tried what another had taken.
    expect(servers.flatMap(({ starts }) => starts)).toHaveLength(30);
    expect(servers.flatMap(({ faults }) => faults)).toEqual([]);
    for (let each = 0; each < 10; each += 1)
      expect(await runsOf(`s${each}`)).toEqual(['started', 'started', 'started']);
  });

  it('recovers a run whose server died between deciding and starting', async () => {
    await add();
    const dying = server('a', { start: () => Promise.reject(new Error('dies here')) });
    now = NOON;
    await dying.scheduler.round();
    expect(dying.faults).toHaveLength(1);
    expect(await runsOf()).toEqual(['starting']);
    const other = server('b');
    await other.scheduler.round();
    expect(await store.executions()).toEqual([]);
    now += 15_000;
    await other.scheduler.round();
    await other.scheduler.round();
    expect(await store.executions()).toHaveLength(1);
    expect(await runsOf()).toEqual(['started']);
  });

  it('recovers a run whose server died between starting and saying so', async () => {
    await add();
    const { engine } = server('a');
    const dying = server('a', {
      start: async (_, { execution_id: executionId }) => {
        await engine.start({ plan: PLAN, source: {}, workload: {}, executionId });
        throw new Error('dies here');
      },
    });
    now = NOON;
    await dying.scheduler.round();
    now += 15_000;
    for (const { scheduler } of [server('b'), server('c')]) await scheduler.round();
    expect(await store.executions()).toHaveLength(1);
    expect(await runsOf()).toEqual(['started']);
  });

  it('leaves a run alone that is running in this process', async () => {
    await add();
    const { engine, scheduler } = server('a');
    now = NOON;
    await scheduler.round();
    const [row] = await store.executions();
    const state = engine.stateOf(row!.execution_id);
    await engine.start({ plan: PLAN, source: {}, workload: {}, executionId: row!.execution_id });
    expect(engine.stateOf(row!.execution_id)).toBe(state);
  });

  it('says why a run could not be started', async () => {
    await add();
    const { scheduler } = server('a', { start: async () => ({ refused: 'no document "jobs/tidy"' }) });
    now = NOON;
    await scheduler.round();
    const stored = await store.records.get(SCHEDULES, 'tidy');
    expect(stored!.value.runs).toMatchObject([{ state: 'failed', note: 'no document "jobs/tidy"' }]);
    await scheduler.round();
    expect(await runsOf()).toEqual(['failed']);
  });

  it('continues with the others if one cannot be read', async () => {
    await store.records.put(SCHEDULES, 'broken', { schedule_id: 'broken', runs: 7 });
    await add();
    const { scheduler, faults } = server('a');
    now = NOON;
    await scheduler.round();
    expect(await store.executions()).toHaveLength(1);
    expect(faults.length).toBeGreaterThan(0);
  });

  it('forgets what was removed, and hears of what other servers add', async () => {
    const { scheduler } = server('a');
    await scheduler.round();
    await add();
    await add({ schedule_id: 'gone' });
    now = NOON - 1000;
    await scheduler.round();
    await store.records.remove(SCHEDULES, 'gone');
    now = NOON;
    await scheduler.round();
    expect(await store.executions()).toHaveLength(1);
  });
});

it('a schedule that is created again under the same name is another one', async () => {
  const { scheduler } = server('a');
  await add({ cron: '@yearly' });
  await scheduler.round();
  await store.records.remove(SCHEDULES, 'tidy');
  now += 1;
  await add();
  now = NOON;
  await scheduler.round();
  expect(await store.executions()).toHaveLength(1);
});

describe('overlap', () => {
  const hours = async ({ scheduler }: ReturnType<typeof server>, count: number) => {
    for (let hour = 0; hour < count; hour += 1) {
      now = NOON + hour * 60 * MINUTE;
      await scheduler.round();
    }
  };
  const cancelAll = async ({ engine }: ReturnType<typeof server>) => {
    for (const { execution_id: id } of await store.executions({ status: 'running' }))
      await engine.command(id, { type: 'CancelExecution', reason: 'test' });
  };

  it('skip waits for the end of the run', async () => {
    await add({ overlap: 'skip' });
    const one = server('a');
    await hours(one, 2);
    expect(await runsOf()).toEqual(['started', 'skipped']);
    await cancelAll(one);
    now += 60 * MINUTE;
    await one.scheduler.round();
    expect(await runsOf()).toEqual(['ended', 'skipped', 'started']);
  });

  it('queue begins the next as soon as the run has ended', async () => {
    await add({ overlap: 'queue' });
    const one = server('a');
    await hours(one, 3);
    expect(await runsOf()).toEqual(['started', 'queued', 'skipped']);
    await one.scheduler.round();
    expect(await store.executions()).toHaveLength(1);
    await cancelAll(one);
    now += 1000;
    await one.scheduler.round();
    expect(await runsOf()).toEqual(['ended', 'started', 'skipped']);
    expect(await store.executions({ status: 'running' })).toHaveLength(1);
  });

  it('cancel ends the run first', async () => {
    await add({ overlap: 'cancel' });
    await hours(server('a'), 3);
    const rows = await store.executions();
    expect(rows.map((row) => row.status)).toEqual(['running', 'cancelled', 'cancelled']);
  });
});

describe('asking for a run', () => {
  it('starts one at once, under any policy, even for a paused schedule', async () => {
    await add({ overlap: 'skip', paused: true });
    const { scheduler } = server('a');
    const runs = [await scheduler.runNow('tidy'), await scheduler.runNow('tidy')];
    expect(runs).toMatchObject([
      { state: 'started', manual: true },
      { state: 'started', manual: true },
    ]);
    expect(await store.executions()).toHaveLength(2);
    expect(await scheduler.runNow('nothing')).toBeUndefined();
  });
});

describeUnless(postgresReason())('schedulers on one Postgres', () => {
  it('start each due time once', async () => {
    const postgres = await startPostgres({ settings: { fsync: 'off' } });
    const opened = await Promise.all(
      ['a', 'b', 'c'].map(() => openPostgres(postgres.url(), { connections: 2 })),
    );
    try {
      const [first] = opened;
      for (let each = 0; each < 10; each += 1)
        await add({ schedule_id: `s${each}`, catch_up: 'all', overlap: 'allow' }, first!.store.records);
      const servers = opened.map(({ store: shared }, index) => server(`server-${index}`, { store: shared }));
      for (const hour of [0, 2]) {
        now = NOON + hour * 3_600_000;
        for (let round = 0; round < 2; round += 1)
          await Promise.all(servers.map(({ scheduler }) => scheduler.round()));
      }
      expect(await first!.store.executions()).toHaveLength(30);
      expect(servers.flatMap(({ starts }) => starts)).toHaveLength(30);
      expect(servers.flatMap(({ faults }) => faults)).toEqual([]);
    } finally {
      await Promise.all(opened.map((one) => one.close()));
      await postgres.dispose();
    }
  });
});
