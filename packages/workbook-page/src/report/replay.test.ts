import { type Event, emptyState, evolve, isEnded, newEvent, type Plan, toSnapshot } from '@woof/net';
import { Driver, plan, randomPlan, step } from '@woof/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReplay } from './replay.ts';
import { fromRunFiles, type RunData, toRunFiles } from './run-data.ts';
import { timelineOf } from './timeline.ts';

/** Every job goes on in turn, and some fail. */
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

const folded = (driver: Driver, events: readonly Event[]) =>
  JSON.stringify(toSnapshot(events.reduce(evolve, emptyState(driver.state.execution_id, driver.state.plan))));

describe('createReplay', () => {
  it('gives at any moment, in any order, what folding that many events gives', () => {
    fc.assert(
      fc.property(
        randomPlan,
        fc.integer({ min: 2, max: 9 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (random, failing, moments) => {
          const driver = played(random, failing);
          const { events, state } = driver;
          const replay = createReplay(state.execution_id, random, events);
          for (const moment of moments) {
            const seq = moment % (events.length + 1);
            expect(JSON.stringify(toSnapshot(replay.at(seq)))).toBe(folded(driver, events.slice(0, seq)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('seeks to and fro in a long log', () => {
    const steps = Array.from({ length: 400 }, (_, i) => `s${i}`);
    const driver = played(chain(steps), 1_000_000);
    const { events, state } = driver;
    expect(events.length).toBeGreaterThan(2000);
    const replay = createReplay(state.execution_id, state.plan, events);
    for (const seq of [
      events.length,
      3,
      events.length - 1,
      1999,
      2000,
      501,
      500,
      499,
      0,
      1200,
      events.length,
    ]) {
      expect(JSON.stringify(toSnapshot(replay.at(seq)))).toBe(folded(driver, events.slice(0, seq)));
    }
  });

  it('stays inside the log', () => {
    const { events, state } = played(chain(['a', 'b']), 1_000_000);
    const replay = createReplay(state.execution_id, state.plan, events);
    expect(replay.at(-5).seq).toBe(0);
    expect(replay.at(1e9).seq).toBe(events.length);
    expect(replay.at(2.7).seq).toBe(2);
  });
});

describe('timelineOf', () => {
  it('has one bar a step run, each with its tasks, none of which begins before or ends after it', () => {
    fc.assert(
      fc.property(randomPlan, fc.integer({ min: 2, max: 9 }), (random, failing) => {
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
    const [span] = timelineOf([
      at('step.scheduled', 0),
      at('step.started', 1),
      at('job.leased', 1, { fence: 1 }),
      at('task.started', 20, task),
      at('task.done', 50, { ...task, data: { outcome: { status: 'error' } } }),
      at('step.failed', 51),
    ]);
    expect(span).toMatchObject({ start: 1, end: 51, status: 'failed' });
    expect(span!.tasks).toEqual([
      { id: 's.1/t.1', label: 't', attempt: 1, start: 20, end: 50, failed: true },
    ]);
  });
});

it('a run goes into files and back', () => {
  const { events, state } = played(chain(['a', 'b']), 1_000_000);
  const logs = Array.from({ length: 3 }, (_, i) => ({
    at: new Date(i).toISOString(),
    step: 'a',
    stream: 'stdout' as const,
    text: 'x'.repeat(1_500_000),
  }));
  const run: RunData = {
    execution_id: state.execution_id,
    name: 'n',
    plan: state.plan,
    events,
    logs,
    values: { 'sha256:1': 'big' },
    children: [],
  };
  const files = toRunFiles(run);
  expect(files.map(({ path }) => path)).toContain('logs/0003.jsonl');
  expect(fromRunFiles(files)).toEqual(run);
});

function chain(names: readonly string[]): Plan {
  return plan(names.map((name, i) => step(name, { to: names.slice(i + 1, i + 2) })));
}
