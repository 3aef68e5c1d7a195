import { FileBlobs, MemoryStore } from '@woof/stores';
import { arc, plan, step, task } from '@woof/testkit';
import type { Tool } from '@woof/tools';
import { Worker } from '@woof/worker';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Engine } from './engine.ts';
import { LongTurns } from './long-turns.ts';

afterEach(() => void vi.useRealTimers());

const live = new Map([['a', { root: 'a' }]]);

function longTurns(hasOthers: () => boolean) {
  vi.useFakeTimers();
  const parts = { now: Date.now, live, bounds: { hasOthers } };
  const turns = new LongTurns(parts as never);
  const later = vi.fn();
  const take = (ms: number) => turns.took('a', ms);
  return { turns, later, take };
}

describe('a run whose turn took long', () => {
  it('waits for three times as long if others are driven here', () => {
    const { turns, later, take } = longTurns(() => true);
    take(9);
    expect(turns.putOff('a', later)).toBe(false);
    take(100);
    expect([turns.putOff('a', later), turns.putOff('a', later), turns.putOff('b', later)]).toEqual([
      true,
      true,
      false,
    ]);
    vi.advanceTimersByTime(299);
    expect(later).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(later).toHaveBeenCalledTimes(2);
    expect(turns.putOff('a', later)).toBe(false);
  });

  it('waits for all of its jobs, also for those that ended while others waited', () => {
    const { turns, later, take } = longTurns(() => true);
    take(100);
    expect(turns.putOff('a', later)).toBe(true);
    take(200);
    take(10);
    vi.advanceTimersByTime(929);
    expect(later).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(later).toHaveBeenCalledOnce();
  });

  it('does not wait if it is alone', () => {
    const { turns, later, take } = longTurns(() => false);
    take(100);
    expect(turns.putOff('a', later)).toBe(false);
    expect(turns.task('a', 100)).toBeUndefined();
  });

  it('waits with its tasks too, but not in an engine that closes', async () => {
    const { turns, later } = longTurns(() => true);
    const wait = turns.task('a', 10);
    expect(wait).toBeInstanceOf(Promise);
    expect(turns.putOff('a', later)).toBe(true);
    turns.close();
    await wait;
    expect(later).toHaveBeenCalledOnce();
    turns.took('a', 100);
    expect(turns.putOff('a', later)).toBe(false);
  });
});

/** Each look at the clock takes a millisecond, beside the time that timers wait for. */
function slowClock(): () => number {
  let ms = 0;
  return () => Date.now() + ++ms;
}

const LOOKS = '{% for i in range(50) %}{% set at = now() %}{% endfor %}{{ true }}';

it.each([
  ['guards', { to: [arc('start', { when: LOOKS })] }],
  ['tasks', { tasks: [task('slow', { kind: 'probe', input: { n: LOOKS } })], to: ['start'] }],
  ['steps without tools', { tasks: [], to: [arc('start', { when: LOOKS })], setCtx: { n: 1 } }],
])('endless steps with slow %s keep no others waiting', async (_what, slow) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const probe: Tool = {
    schema: { kind: 'probe', summary: '', fields: {} },
    run: async () => ({ status: 'ok', result: null }),
  };
  const tasks = [task('probe', { kind: 'probe' })];
  const blobs = new FileBlobs('/nowhere');
  const logs = { write: () => {}, close: async () => {} };
  const tools = new Map([['probe', probe]]);
  const onFree = () => engine.slotFreed();
  const executor = new Worker({ id: 'w', slots: 8, tools, blobs, logs, sandbox: true, hidden: [], onFree });
  const engine: Engine = new Engine({ store: new MemoryStore(), blobs, executor, now: slowClock() });
  const source = { folder: '/nowhere' };
  const chain = Array.from({ length: 30 }, (_, index) =>
    step(`s${index}`, { tasks, ...(index < 29 ? { to: [`s${index + 1}`] } : {}) }),
  );
  const endless = await engine.start({
    plan: plan([step('start', { tasks, ...slow })]),
    source,
    workload: {},
  });
  const runs = () => engine.stateOf(endless)!.steps.get('start')!.runs;
  await engine.finished(await engine.start({ plan: plan(chain), source, workload: {} }));
  const before = runs();
  await engine.finished(await engine.start({ plan: plan(chain), source, workload: {} }));
  expect(runs() - before).toBeLessThan(3);
  await vi.advanceTimersByTimeAsync(5000);
  await vi.waitFor(() => expect(runs() - before).toBeGreaterThan(0), { timeout: 500_000, interval: 5 });
  await engine.command(endless, { type: 'CancelExecution', reason: 'the test ends' });
  await engine.close();
});
