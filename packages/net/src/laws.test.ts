/** Laws of the core on arbitrary plans and arbitrary histories. */
import { Driver, randomPlan, strayFields } from '@woof/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turn } from './decide.ts';
import { newEvent } from './event.ts';
import { adoptionFrom, planRerun } from './rerun.ts';
import { toSnapshot } from './snapshot.ts';
import { emptyState, isEnded } from './state.ts';

const choices = fc.array(fc.nat(1000), { minLength: 5, maxLength: 60 });

/** Plays a plan to its end; the choices determine which job continues, how, and when something breaks. */
function play(driver: Driver, picks: readonly number[]): Driver {
  let turnNo = 0;
  // Each round differs, because a history that expires every lease forever has no end.
  const pick = () => picks[turnNo % picks.length]! + Math.floor(turnNo++ / picks.length);
  while (!isEnded(driver.state) && turnNo < 5000) {
    const jobs = [...driver.state.jobs.values()];
    expect(jobs.length, 'a live execution has something to do').toBeGreaterThan(0);
    const job = jobs[pick() % jobs.length]!;
    const action = pick() % 10;
    driver.now += 10;
    if (job.status === 'parked') driver.do({ type: 'WakeJob', job_id: job.id });
    else if (action === 0 && job.status === 'leased') {
      driver.do({ type: 'ExpireJob', job_id: job.id, fence: job.fence, reason: 'killed' });
    } else if (action === 1 && job.status === 'ready') driver.lease(job.id);
    else if (action === 2) driver.fail(job.id);
    else if (action === 3 && job.pipeline.attempt < 3)
      driver.ok(job.id, turnNo, { do: 'retry', delay_ms: 5 });
    else driver.ok(job.id, turnNo);
  }
  return driver;
}

const hash = (state: Parameters<typeof toSnapshot>[0]) => JSON.stringify(toSnapshot(state));

it('folding the log again, whole or from a snapshot, gives the same state', () => {
  fc.assert(
    fc.property(randomPlan, choices, fc.nat(1000), (plan, picks, cut) => {
      const driver = play(new Driver(plan), picks);
      expect(hash(driver.replayed())).toBe(hash(driver.state));
      expect(hash(driver.replayed(cut % driver.events.length))).toBe(hash(driver.state));
    }),
    { numRuns: 300 },
  );
});

it('every event has the same fields in the same order, so that a long log has one shape, and the data of its name', () => {
  fc.assert(
    fc.property(randomPlan, choices, (plan, picks) => {
      const { events } = play(new Driver(plan), picks);
      const shapes = new Set(events.map((event) => Object.keys(event).join(' ')));
      expect([...shapes]).toEqual([Object.keys(newEvent('step.started', 0, {})).join(' ')]);
      expect(events.flatMap(strayFields)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it('every execution ends, with nothing left live', () => {
  fc.assert(
    fc.property(randomPlan, choices, (plan, picks) => {
      const { state } = play(new Driver(plan), picks);
      expect(isEnded(state)).toBe(true);
      expect([
        state.tokens.size,
        state.runs.size,
        state.jobs.size,
        state.loops.size,
        state.live.size,
      ]).toEqual([0, 0, 0, 0, 0]);
    }),
    { numRuns: 300 },
  );
});

it('tokens are conserved, and no step run or iteration ends twice', () => {
  fc.assert(
    fc.property(randomPlan, choices, (plan, picks) => {
      const { events } = play(new Driver(plan), picks);
      const made = events.filter((event) => event.name === 'token.enqueued').map((event) => event.data.token);
      const spent = events.flatMap((event) => {
        if (event.name === 'step.scheduled' || event.name === 'token.denied') return event.data.tokens;
        return event.name === 'token.dropped' ? [event.data.token] : [];
      });
      expect([...spent].sort()).toEqual([...made].sort());
      const ends = events
        .filter((event) =>
          /^(step\.(done|failed|cancelled)|loop\.iteration\.(done|failed))$/.test(event.name),
        )
        .map((event) => event.iteration_id ?? event.step_run_id);
      const loops = events.filter((event) => event.name === 'loop.done' && !event.iteration_id);
      const all = [...ends, ...loops.map((event) => event.step_run_id)];
      expect(new Set(all).size).toBe(all.length);
    }),
    { numRuns: 300 },
  );
});

it('a loop counts every item exactly once', () => {
  fc.assert(
    fc.property(randomPlan, choices, (plan, picks) => {
      const { events } = play(new Driver(plan), picks);
      for (const done of events.filter((event) => event.name === 'loop.done')) {
        if (done.iteration_id) continue;
        const { stats, result } = done.data;
        expect(stats.succeeded + stats.failed).toBe(stats.total);
        expect((result as { results: unknown[] }).results).toHaveLength(stats.total);
      }
    }),
    { numRuns: 200 },
  );
});

const bounds = fc.record({
  limits: fc.record({
    jobs: fc.integer({ min: 1, max: 4 }),
    loops: fc.integer({ min: 2, max: 5 }),
    iterations: fc.integer({ min: 1, max: 4 }),
  }),
  page: fc.record({ results: fc.integer({ min: 1, max: 3 }), bytes: fc.constant(1_000_000) }),
});

/** The result of each step, in the end. */
function gave({ state }: Driver): string {
  return JSON.stringify([state.status, [...state.steps].map(([name, { result }]) => [name, result]).sort()]);
}

it('limits change when things run, but neither what runs nor its result', () => {
  fc.assert(
    fc.property(randomPlan, bounds, (plan, bound) => {
      const free = new Driver(plan).runAll((jobId) => jobId);
      const bound1 = new Driver(plan, plan.workload, bound).runAll((jobId) => jobId);
      expect(gave(bound1)).toBe(gave(free));
    }),
    { numRuns: 300 },
  );
});

it('no more is live than the limits allow, whatever happens', () => {
  fc.assert(
    fc.property(randomPlan, choices, bounds, (plan, picks, bound) => {
      const driver = new Driver(plan, plan.workload, bound);
      const act = driver.do.bind(driver);
      driver.do = (command) => {
        const events = act(command);
        expect(driver.state.jobs.size).toBeLessThanOrEqual(bound.limits.jobs);
        expect(driver.state.loops.size).toBeLessThanOrEqual(bound.limits.loops);
        for (const loop of driver.state.loops.values())
          expect(loop.results.length).toBeLessThanOrEqual(bound.limits.iterations + 2 * bound.page.results);
        return events;
      };
      play(driver, picks);
      expect(isEnded(driver.state)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('a run resumed from any snapshot ends as it would have', () => {
  fc.assert(
    fc.property(randomPlan, bounds, fc.nat(30), (plan, bound, cut) => {
      const whole = new Driver(plan, plan.workload, bound).runAll((jobId) => jobId);
      const cutShort = new Driver(plan, plan.workload, bound);
      for (let done = 0; done < cut && cutShort.state.jobs.size > 0; done++) {
        const [jobId] = cutShort.state.jobs.keys();
        cutShort.ok(jobId!, jobId!);
      }
      if (!isEnded(cutShort.state)) cutShort.restart();
      expect(gave(cutShort.runAll((jobId) => jobId))).toBe(gave(whole));
    }),
    { numRuns: 300 },
  );
});

it('a rerun adopts what succeeded and runs the rest', () => {
  fc.assert(
    fc.property(randomPlan, choices, (plan, picks) => {
      const before = play(new Driver(plan), picks);
      const adopt = adoptionFrom(before.state, before.events, planRerun(before.state, {}));
      const again = new Driver(plan);
      again.state = emptyState('again', plan);
      again.events.length = 0;
      const start = { type: 'StartExecution', plan_hash: 'h', workload: {}, adopt } as const;
      again.events.push(...turn(again.state, start, again.env()).events);
      again.runAll();
      expect(again.state.status).toBe('succeeded');
      for (const [name, summary] of Object.entries(adopt.steps)) {
        if (summary.status === 'succeeded')
          expect(again.state.steps.get(name)!.result).toEqual(summary.result);
      }
    }),
    { numRuns: 200 },
  );
});
