import {
  type Event,
  emptyState,
  encodeJson,
  evolve,
  isEnded,
  newEvent,
  type Plan,
  type State,
  toSnapshot,
} from '@woof/net';
import { Driver, loop, plan, randomPlan, step } from '@woof/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Replay } from './replay.ts';
import { RunFold } from './run-fold.ts';
import { piecesOf } from './span-pieces.ts';
import { timelineOf } from './timeline-fold.ts';
import { countOf } from './words.ts';

/** Every job advances in turn, and some fail. */
function played(run: Plan, failing: number): Driver {
  const driver = new Driver(run);
  for (let turn = 0; !isEnded(driver.state) && turn < 2000; turn++) {
    const [job] = driver.state.jobs.values();
    driver.now += 10;
    if (job!.status === 'parked') driver.do({ type: 'WakeJob', job_id: job!.id });
    else if (turn % failing === failing - 1) driver.fail(job!.id);
    else driver.ok(job!.id, turn);
  }
  return driver;
}

const NEVER = 1_000_000;

function stateAfter(driver: Driver, count: number) {
  const { execution_id: id, plan: own } = driver.state;
  return driver.events.slice(0, count).reduce(evolve, emptyState(id, own));
}

const textOf = (state: State): string => encodeJson(toSnapshot(state));

function foldOf({ state, events }: Driver): RunFold {
  const fold = new RunFold(state.execution_id, state.plan);
  fold.append(events);
  return fold;
}

const runs = fc.tuple(randomPlan, fc.integer({ min: 2, max: 9 }));

describe('Replay', () => {
  it('gives at any moment, in any order, the same as folding that many events', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(), { maxLength: 12 }), ([random, failing], moments) => {
        const driver = played(random, failing);
        const { events, state } = driver;
        const replay = new Replay(state.execution_id, random, events);
        for (const moment of moments) {
          const seq = moment % (events.length + 1);
          expect(textOf(replay.at(seq))).toBe(textOf(stateAfter(driver, seq)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('seeks back and forth in a long log', () => {
    const driver = played(chain(400), NEVER);
    const { events, state } = driver;
    const { length } = events;
    expect(length).toBeGreaterThan(2000);
    const replay = new Replay(state.execution_id, state.plan, events);
    for (const seq of [length, 3, length - 1, 1999, 2000, 501, 500, 499, 0, 1200, length]) {
      expect(textOf(replay.at(seq))).toBe(textOf(stateAfter(driver, seq)));
    }
  });
});

describe('RunFold', () => {
  it('shows the same moment however its events arrived', () => {
    fc.assert(
      fc.property(runs, fc.nat(), fc.array(fc.nat(), { maxLength: 6 }), ([random, failing], cut, moments) => {
        const driver = played(random, failing);
        const { events } = driver;
        const whole = foldOf(driver);
        const base = cut % (events.length + 1);
        const { execution_id: id } = driver.state;
        const at = events[base - 1]?.at;
        const from = stateAfter(driver, base);
        const late = new RunFold(id, random, at === undefined ? { from } : { from, at });
        for (const event of events.slice(base)) late.append([event]);
        const end = late.at(events.length);
        expect({ ...end, event: end.event ?? events.at(-1)!.name }).toEqual(whole.at(events.length));
        expect(late.loaded).toBe(base === 0 ? events.length : 0);
        late.fill(events.slice(0, base));
        expect(late.loaded).toBe(events.length);
        for (const moment of moments) {
          const seq = moment % (events.length + 1);
          expect(late.at(seq)).toEqual(whole.at(seq));
          for (const { name } of random.steps) expect(late.step(seq, name)).toEqual(whole.step(seq, name));
        }
        expect(late.timeline()).toEqual(whole.timeline());
      }),
      { numRuns: 60 },
    );
  });

  it('shows the end at once, and moments before its snapshot once their events are loaded', () => {
    const driver = played(chain(50), NEVER);
    const { events, state } = driver;
    const base = events.length - 20;
    const fold = new RunFold(state.execution_id, state.plan, { from: stateAfter(driver, base) });
    fold.append(events.slice(base));
    expect([fold.length, fold.loaded, fold.status]).toEqual([events.length, 0, 'succeeded']);
    expect(fold.at(events.length).status).toBe('succeeded');
    expect(fold.at(base + 5).seq).toBe(base + 5);
    expect(() => fold.at(base - 5)).toThrow('is not loaded');
    expect(fold.events(1, 10)).toEqual([]);
    fold.fill(events.slice(0, 40));
    expect([fold.loaded, fold.at(30).seq, fold.at(base + 5).seq]).toEqual([40, 30, base + 5]);
    fold.fill(events.slice(40));
    expect([fold.loaded, fold.at(base - 5).seq]).toEqual([events.length, base - 5]);
    expect(fold.events(1, 10)).toHaveLength(9);
  });

  it('stays inside the log', () => {
    const fold = foldOf(played(chain(2), NEVER));
    expect([fold.at(-5).seq, fold.at(-5).status]).toEqual([0, 'not started']);
    expect(fold.at(1e9).seq).toBe(fold.length);
    expect(fold.at(2.7).seq).toBe(2);
  });

  it('finds the last event at a given time', () => {
    const driver = played(chain(4), NEVER);
    const fold = foldOf(driver);
    for (const { at } of driver.events) {
      expect(fold.seqAt(at)).toBe(driver.events.filter((event) => event.at <= at).length);
    }
    expect(fold.seqAt(0)).toBe(0);
  });

  it('lists iterations by page and by status, and the attempts of a step', () => {
    const each = loop([1, 2, 3, 4], { mode: 'parallel', failure: 'best_effort' });
    const driver = new Driver(plan([step('s', { loop: each })]));
    const jobs = [...driver.state.jobs.keys()];
    const begun = driver.events.length;
    driver.ok(jobs[0]!, 1);
    driver.fail(jobs[1]!);
    const fold = foldOf(driver);
    const page = (status?: 'failed', seq = fold.length) =>
      fold.iterations('s', { seq, from: 0, count: 10, ...(status ? { status } : {}) });
    expect(
      page()
        .rows.map(({ index, status }) => [index, status])
        .slice(0, 2),
    ).toEqual([
      [0, 'succeeded'],
      [1, 'failed'],
    ]);
    expect(page(undefined, begun).rows.map(({ status }) => status)).toEqual(Array(4).fill('running'));
    expect(page('failed', begun).total).toBe(0);
    expect(page('failed')).toMatchObject({ total: 1, rows: [{ index: 1, error: expect.any(String) }] });
    expect(fold.step(fold.length, 's').attempts.map(({ failed, worker }) => [failed, worker])).toEqual([
      [false, 'w'],
      [true, 'w'],
    ]);
  });

  it('distinguishes a step that a rerun reused from one that ran', () => {
    const fold = new RunFold('x', plan([step('s')]));
    const summary = { status: 'succeeded', runs: 1, retries: 0, reused_from: 'r1' } as const;
    fold.append([newEvent('step.adopted', 5, { step: 's' }, { summary })]);
    const [mark] = fold.at(1).steps;
    expect(mark).toEqual({ status: 'succeeded', runs: 1, reused_from: 'r1' });
    expect(countOf(mark!)).toBe('reused');
    expect(countOf({ status: 'succeeded', runs: 1 })).toBe('');
    expect(fold.timeline()).toMatchObject([{ step: 's', status: 'reused', start: 5, end: 5 }]);
  });

  it('shows a stored value that is loaded, names one that is not, and cuts a long one', () => {
    const checksum = `sha256:${'1'.repeat(64)}`;
    const reference = { store: 'blobs', key: 'k', checksum, size: 9, schema_hint: null };
    const driver = new Driver(plan([step('s')]));
    driver.ok([...driver.state.jobs.keys()][0]!, reference as never);
    const { execution_id: id, plan: own } = driver.state;
    const ask = (lookup?: () => string) => {
      const fold = new RunFold(id, own, lookup ? { lookup } : {});
      fold.append(driver.events);
      return fold.step(fold.length, 's').result!;
    };
    expect(ask()).toMatchObject({ cut: 0, stored: [{ key: checksum, size: 9 }] });
    expect(ask(() => '"here"')).toEqual({ text: '"here"', cut: 0, stored: [] });
    expect(ask(() => 'x'.repeat(100_007))).toMatchObject({ cut: 7 });
  });
});

describe('timelineOf', () => {
  it('has one bar per step run, each with its tasks, none of which begins before or ends after it', () => {
    fc.assert(
      fc.property(runs, ([random, failing]) => {
        const { events } = played(random, failing);
        const spans = timelineOf(events);
        expect(spans.map(({ id }) => id)).toEqual(
          events.filter(({ name }) => name === 'step.scheduled').map((event) => event.step_run_id),
        );
        for (const span of spans) {
          for (const task of span.tasks) {
            expect(task.start).toBeGreaterThanOrEqual(span.start);
            expect(task.end ?? task.start).toBeLessThanOrEqual(span.end ?? Number.POSITIVE_INFINITY);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('shows when each task of a step began, ended and failed', () => {
    const at = (name: Event['name'], time: number, more: Partial<Event> = {}): Event =>
      newEvent(name, time, { step: 's', step_run_id: 's.1', ...more }, more.data);
    const task = { task_run_id: 's.1/t.1', task_label: 't', attempt: 1, fence: 1 };
    const error = { kind: 'unknown', retryable: false, message: 'no' } as const;
    const [span] = timelineOf([
      at('step.scheduled', 0, { data: { tokens: ['t1'] } }),
      at('step.started', 1),
      at('job.leased', 1, { fence: 1, data: { worker: 'w' } }),
      at('task.started', 20, task),
      at('task.done', 50, {
        ...task,
        data: { outcome: { status: 'error', error }, directive: { do: 'fail' } },
      }),
      at('step.failed', 51),
    ]);
    expect(span).toMatchObject({ start: 1, end: 51, status: 'failed' });
    const common = { id: 's.1/t.1', label: 't', attempt: 1, worker: 'w' };
    expect(span!.tasks).toEqual([{ ...common, start: 20, end: 50, failed: true, error: 'no', waits: [] }]);
  });

  it('a parked job waits until a worker holds it again', () => {
    const at = (name: Event['name'], time: number, more: Partial<Event> = {}): Event =>
      newEvent(name, time, { step: 's', step_run_id: 's.1', ...more }, more.data);
    const task = { task_run_id: 's.1/t.1', task_label: 't', attempt: 1, fence: 1 };
    const held = { tokens: ['t1'], held: { reason: 'the policy' } };
    const [span] = timelineOf([
      at('step.scheduled', 0, { data: held }),
      at('job.leased', 10, { fence: 1, data: { worker: 'w' } }),
      at('task.started', 20, task),
      at('job.parked', 30, { fence: 1, data: { human: {} } }),
      at('step.approved', 100),
      at('job.leased', 110, { fence: 2, data: { worker: 'w' } }),
      at('task.done', 120, { ...task, data: { outcome: { status: 'ok' }, directive: { do: 'continue' } } }),
      at('job.parked', 130, { fence: 2, data: { until: 200 } }),
    ]);
    expect(span!.waits).toEqual([{ start: 0, end: 10 }, { start: 130 }]);
    expect(span!.tasks[0]!.waits).toEqual([{ start: 30, end: 110 }]);
    const pieces = piecesOf(span!, 150).map(({ from, to, isWait }) => [from, to, isWait]);
    expect(pieces).toEqual([
      [0, 10, true],
      [130, 150, true],
      [20, 30, false],
      [30, 110, true],
      [110, 120, false],
    ]);
  });
});

function chain(length: number): Plan {
  const names = Array.from({ length }, (_, i) => `s${i}`);
  return plan(names.map((name, i) => step(name, { to: names.slice(i + 1, i + 2) })));
}
