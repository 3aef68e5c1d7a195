import { arc, Driver, loop, plan, step, task } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { turn } from './decide.ts';
import type { Plan } from './plan.ts';
import { emptyState } from './state.ts';
import { accountOf } from './summary.ts';

const statuses = (driver: Driver) =>
  Object.fromEntries(
    Object.entries(accountOf(driver.state).steps).map(([name, { status }]) => [name, status]),
  );

describe('routing', () => {
  const fork = (mode?: 'inclusive'): Plan =>
    plan([step('start', { to: ['a', 'b'], ...(mode ? { mode } : {}) }), step('a'), step('b')]);

  it('exclusive: the first matching arc wins', () => {
    const driver = new Driver(fork()).runAll();
    expect(statuses(driver)).toEqual({ start: 'succeeded', a: 'succeeded', b: 'skipped' });
    expect(driver.state.status).toBe('succeeded');
  });

  it('inclusive: all matching arcs fire', () => {
    expect(statuses(new Driver(fork('inclusive')).runAll())).toMatchObject({
      a: 'succeeded',
      b: 'succeeded',
    });
  });

  it('a guard sees ctx, workload, args, the result by the step name and event', () => {
    const guard = "{{ start.n == 2 and limit == 5 and event.name == 'step.done' and workload.limit == 5 }}";
    const driver = new Driver(plan([step('start', { to: [arc('a', { when: guard })] }), step('a')]), {
      limit: 5,
    });
    driver.ok('start.1', { n: 2 });
    expect(driver.ready()).toEqual(['a.1']);
  });

  it('a guard may use the names of the first implementation', () => {
    const to = [
      arc('bad', { when: "{{ event.name == 'call.error' }}" }),
      arc('good', { when: "{{ event.name == 'call.done' }}" }),
    ];
    const make = () => new Driver(plan([step('start', { to }), step('bad'), step('good')]));
    const good = make();
    good.ok('start.1');
    expect(good.ready()).toEqual(['good.1']);
    const bad = make();
    bad.fail('start.1');
    expect(bad.ready()).toEqual(['bad.1']);
  });

  it('an arc overwrites token args that it names and passes on the rest', () => {
    const driver = new Driver(
      plan([
        step('start', { to: [arc('a', { args: { x: 1, y: '{{ start }}' } })] }),
        step('a', { args: { own: 'here' }, to: [arc('b', { args: { x: '{{ args.x + 1 }}' } })] }),
        step('b'),
      ]),
    );
    driver.ok('start.1', 'r');
    expect(driver.state.runs.get('a.1')!.args).toEqual({ x: 1, y: 'r', own: 'here' });
    driver.ok('a.1');
    expect(driver.state.runs.get('b.1')!.args).toEqual({ x: 2, y: 'r' });
  });

  it('after a failure only arcs whose guard reads event are evaluated', () => {
    const to = [
      arc('a'),
      arc('b', { when: '{{ true }}' }),
      arc('c', { when: "{{ event.name == 'step.failed' }}" }),
    ];
    const driver = new Driver(plan([step('start', { to }), step('a'), step('b'), step('c')]));
    driver.fail('start.1');
    expect(driver.ready()).toEqual(['c.1']);
    expect(driver.runAll().state.status).toBe('succeeded');
  });

  it('a failure that no arc takes fails the execution: running work is cancelled, waiting work skipped', () => {
    const driver = new Driver(
      plan([
        step('start', { to: ['a', 'b', 'j'], mode: 'inclusive' }),
        step('a', { to: ['j'] }),
        step('b'),
        step('j', { join: 'all' }),
      ]),
    );
    driver.ok('start.1');
    driver.lease('a.1');
    driver.fail('b.1', 'no route');
    expect(driver.state.status).toBe('failed');
    expect(driver.state.error).toMatchObject({ message: 'no route', step: 'b' });
    expect(statuses(driver)).toMatchObject({ a: 'cancelled', b: 'failed', j: 'skipped' });
    expect(driver.names().slice(-2)).toEqual(['workflow.finished', 'playbook.processed']);
  });

  it('a guard that cannot be evaluated fails the execution and names expression and step', () => {
    const to = [arc('a', { when: '{{ 1 + missing.x }}' })];
    const driver = new Driver(
      plan([step('start', { to }), step('a')], { where: { 'start/next/0/when': [7, 3] } }),
    );
    driver.ok('start.1');
    expect(driver.state.error).toMatchObject({ kind: 'template', step: 'start' });
    expect(driver.state.error!.message).toMatch(/missing\.x.*line 7/);
  });

  it('a step without tools passes the token on', () => {
    const driver = new Driver(plan([step('start', { tasks: [], to: ['a'] }), step('a')]));
    expect(driver.ready()).toEqual(['a.1']);
  });

  it('a cycle of steps without tools ends a turn, not the process', () => {
    const endless = plan([step('start', { tasks: [], to: ['b'] }), step('b', { tasks: [], to: ['start'] })]);
    const state = emptyState('test', endless);
    const env = new Driver(plan([step('start')])).env();
    const result = turn(state, { type: 'StartExecution', plan_hash: 'h', workload: {} }, env);
    expect(result.unsettled).toBe(true);
    expect(result.events.length).toBeLessThan(3000);
  });

  it('a turn that ends the execution leaves nothing to settle, wherever turns end', () => {
    const short = plan([step('start', { tasks: [] })]);
    const env = new Driver(short).env();
    for (let most = 1; most < 30; most++) {
      const state = emptyState('test', short);
      let result = turn(state, { type: 'StartExecution', plan_hash: 'h', workload: {} }, env, most);
      while (result.unsettled) result = turn(state, { type: 'SettleExecution' }, env, most);
      expect([result.refusal, state.status]).toEqual([undefined, 'succeeded']);
    }
  });
});

describe('admission', () => {
  const gate = (admit: { when?: string; allow: boolean }[]) =>
    new Driver(plan([step('start', { to: [arc('a', { args: { n: 3 } })] }), step('a', { admit })]));
  const admitted = (admit: { when?: string; allow: boolean }[]) => {
    const driver = gate(admit);
    driver.ok('start.1');
    return driver.ready().includes('a.1');
  };

  it('takes the first rule that matches, then else', () => {
    expect(admitted([{ when: '{{ args.n == 3 }}', allow: true }, { allow: false }])).toBe(true);
    expect(admitted([{ when: '{{ args.n == 4 }}', allow: true }, { allow: false }])).toBe(false);
    expect(admitted([{ when: "{{ event.step == 'start' }}", allow: false }, { allow: true }])).toBe(false);
  });

  it('without a match, rules that only deny let it pass', () => {
    expect(admitted([{ when: '{{ false }}', allow: false }])).toBe(true);
    expect(admitted([{ when: '{{ false }}', allow: true }])).toBe(false);
  });

  it('sees the event as arcs do, under its other names too', () => {
    const reading = (when: string) => {
      const to = [arc('a', { when: "{{ event.name == 'step.failed' }}" })];
      const admit = [
        { when: "{{ event.name == 'step.done' }}", allow: false },
        { when, allow: true },
      ];
      const driver = new Driver(plan([step('start', { to }), step('a', { admit })]));
      driver.fail('start.1');
      return driver.ready().includes('a.1');
    };
    expect(reading("{{ event.payload.status == 'error' and event.payload.error.message }}")).toBe(true);
    expect(reading("{{ event.name == 'call.error' }}")).toBe(true);
    expect(reading("{{ event.name == 'step.failed' }}")).toBe(true);
    expect(reading('{{ event.payload.result is defined }}')).toBe(false);
    expect(admitted([{ when: "{{ event.payload.status == 'ok' }}", allow: true }])).toBe(true);
  });

  it('a denied token leaves the step skipped and the execution succeeds', () => {
    const driver = gate([{ allow: false }]);
    driver.ok('start.1');
    expect(driver.state.status).toBe('succeeded');
    expect(statuses(driver).a).toBe('skipped');
    expect(driver.names()).toContain('token.denied');
  });
});

describe('join: all', () => {
  const diamond = (more = {}) =>
    plan([
      step('start', { to: ['a', 'b'], mode: 'inclusive' }),
      step('a', { to: ['j'] }),
      step('b', { to: ['j'], ...more }),
      step('j', { join: 'all' }),
    ]);

  it('waits for a token from every arc, fires once, and merges args', () => {
    const driver = new Driver(diamond());
    driver.ok('start.1');
    driver.ok('a.1');
    expect(driver.ready()).toEqual(['b.1']);
    driver.ok('b.1');
    expect(driver.ready()).toEqual(['j.1']);
    driver.runAll();
    expect(driver.state.steps.get('j')!.runs).toBe(1);
  });

  it('does not wait for an arc that can no longer deliver', () => {
    const driver = new Driver(diamond({ to: [arc('j', { when: '{{ false }}' })] }));
    driver.ok('start.1');
    driver.ok('a.1');
    driver.ok('b.1');
    expect(driver.ready()).toEqual(['j.1']);
  });

  it('each: fires for every token', () => {
    const p = diamond();
    p.steps[3]!.join = 'each';
    expect(new Driver(p).runAll().state.steps.get('j')!.runs).toBe(2);
  });

  it('a cycle after the join does not make it wait for itself', () => {
    const driver = new Driver(
      plan([
        step('start', { to: ['j'] }),
        step('j', { join: 'all', to: [arc('again', { when: '{{ not ctx.done }}' })] }),
        step('again', { setCtx: { done: true }, to: ['j'] }),
      ]),
    );
    driver.runAll();
    expect(driver.state.steps.get('j')!.runs).toBe(2);
    expect(driver.state.status).toBe('succeeded');
  });
});

describe('joins that wait for each other', () => {
  it('fire with what they have once nothing else can arrive', () => {
    const never = { when: '{{ false }}' };
    const driver = new Driver(
      plan([
        step('start', { to: ['j1', 'j2'], mode: 'inclusive' }),
        step('j1', { join: 'all', to: [arc('j2', never)] }),
        step('j2', { join: 'all', to: [arc('j1', never)] }),
      ]),
    );
    driver.runAll();
    expect(driver.state.status).toBe('succeeded');
    expect([driver.state.steps.get('j1')!.runs, driver.state.steps.get('j2')!.runs]).toEqual([1, 1]);
  });
});

describe('several firings', () => {
  const twice = () =>
    new Driver(
      plan([
        step('start', { to: [arc('b', { when: '{{ not ctx.again }}' })] }),
        step('b', { setCtx: { again: true }, to: ['start'] }),
      ]),
    );

  it("the execution's result is that of the step that ended last, even within one millisecond", () => {
    const driver = twice();
    driver.ok('start.1', 'first');
    driver.ok('b.1', 'between');
    driver.ok('start.2', 'last');
    expect(driver.state.result).toBe('last');
  });

  it('a failed firing leaves no earlier result', () => {
    const driver = twice();
    driver.ok('start.1', 'first');
    driver.ok('b.1');
    driver.fail('start.2');
    expect(accountOf(driver.state).steps.start).toMatchObject({ status: 'failed', runs: 2 });
    expect(accountOf(driver.state).steps.start).not.toHaveProperty('result');
  });
});

describe('failure: skip (notebooks and workflows)', () => {
  it('skips descendants, lets independent branches end, then fails', () => {
    const driver = new Driver(
      plan(
        [
          step('a', { to: ['c'], join: 'all' }),
          step('b', { to: ['d'], join: 'all' }),
          step('c', { join: 'all' }),
          step('d', { join: 'all' }),
        ],
        { failure: 'skip', entry: ['a', 'b'] },
      ),
    );
    driver.fail('a.1');
    driver.runAll();
    expect(statuses(driver)).toEqual({ a: 'failed', b: 'succeeded', c: 'skipped', d: 'succeeded' });
    expect(driver.state.status).toBe('failed');
    expect(driver.state.steps.get('c')!.because).toBe('"a" failed');
  });

  const never = [{ when: '{{ false }}', allow: true }, { allow: false }];
  const graph = (arcs: Record<string, string[]>, entry: string[], denied: string) => {
    const steps = Object.entries(arcs).map(([name, to]) =>
      step(name, { to, mode: 'inclusive', join: 'all', ...(name === denied ? { admit: never } : {}) }),
    );
    return new Driver(plan(steps, { failure: 'skip', entry }));
  };

  it('a condition that cannot be evaluated fails its step, and only its dependents are skipped', () => {
    const cannot = [{ when: '{{ 1 / 0 }}', allow: true }];
    const steps = [
      step('a', { admit: cannot, to: ['b'] }),
      step('b'),
      step('other', { to: ['last'] }),
      step('last'),
    ];
    const driver = new Driver(plan(steps, { failure: 'skip', entry: ['a', 'other'] })).runAll();
    expect(statuses(driver)).toEqual({ a: 'failed', b: 'skipped', other: 'succeeded', last: 'succeeded' });
    expect(driver.state.steps.get('b')!.because).toBe('"a" failed');
    expect(driver.state.status).toBe('failed');
    expect(accountOf(driver.state).error).toMatchObject({ step: 'a', kind: 'template' });
  });

  it('a denied step skips what nothing else leads to, and says so', () => {
    const driver = graph({ a: ['b'], b: ['c'], c: [], other: [] }, ['a', 'other'], 'a').runAll();
    expect(statuses(driver)).toEqual({ a: 'skipped', b: 'skipped', c: 'skipped', other: 'succeeded' });
    expect(driver.state.steps.get('c')!.because).toBe('"a" was skipped');
    expect(driver.state.status).toBe('succeeded');
  });

  it('a join fires without a denied step, at once, but not before tokens that can still arrive', () => {
    const driver = graph({ a: ['j'], b: ['j', 'k'], slow: [], j: ['k'], k: [] }, ['a', 'b', 'slow'], 'a');
    driver.ok('b.1');
    expect(driver.ready()).toEqual(['slow.1', 'j.1']);
    driver.runAll();
    expect(statuses(driver)).toMatchObject({ a: 'skipped', j: 'succeeded', k: 'succeeded' });
    expect(accountOf(driver.state).steps.k).toMatchObject({ runs: 1 });
  });

  it('a waiting join fires when the last token that could arrive is denied', () => {
    const driver = graph({ b: ['j'], x: ['a'], a: ['j'], j: [], slow: [] }, ['b', 'x', 'slow'], 'a');
    driver.ok('b.1');
    driver.ok('x.1');
    expect(driver.ready()).toEqual(['slow.1', 'j.1']);
  });
});

describe('ctx', () => {
  it("a step's set_ctx is applied after it succeeds and before its arcs are evaluated", () => {
    const driver = new Driver(
      plan([
        step('start', { setCtx: { n: '{{ start.n }}' }, to: [arc('a', { when: '{{ ctx.n == 4 }}' })] }),
        step('a'),
      ]),
    );
    driver.ok('start.1', { n: 4 });
    expect(driver.state.ctx).toEqual({ n: 4 });
    expect(driver.ready()).toEqual(['a.1']);
  });

  it('workload never changes', () => {
    const workload = { n: 1 };
    const driver = new Driver(plan([step('start')]), workload);
    driver.ok('start.1', null, { do: 'continue', set_ctx: { n: 2 } });
    expect(driver.state.workload).toEqual({ n: 1 });
    expect(driver.state.ctx).toEqual({ n: 2 });
  });

  const parallel = () => new Driver(plan([step('start', { loop: loop([1, 2, 3], { mode: 'parallel' }) })]));

  it('parallel iterations may write a key once; equal writes are fine', () => {
    const driver = parallel();
    driver.ok('start.1/0', null, { do: 'continue', set_ctx: { k: { same: [1] } } });
    driver.ok('start.1/1', null, { do: 'continue', set_ctx: { k: { same: [1] } } });
    expect(driver.state.ctx).toEqual({ k: { same: [1] } });
  });

  it('a conflicting write fails the iteration and names both writers', () => {
    const driver = parallel();
    driver.ok('start.1/0', null, { do: 'continue', set_ctx: { k: 1 } });
    driver.ok('start.1/2', null, { do: 'continue', set_ctx: { k: 2 } });
    expect(driver.state.ctx).toEqual({ k: 1 });
    expect(driver.state.status).toBe('failed');
    expect(driver.state.error!.message).toMatch(/start\.1\/0.*start\.1\/2/);
  });

  it('sequential iterations may write again', () => {
    const driver = new Driver(plan([step('start', { loop: loop([1, 2]) })]));
    driver.ok('start.1/0', null, { do: 'continue', set_ctx: { k: 1 } });
    driver.ok('start.1/1', null, { do: 'continue', set_ctx: { k: 2 } });
    expect(driver.state.ctx).toEqual({ k: 2 });
    expect(driver.state.status).toBe('succeeded');
  });

  it('set_shared reduces', () => {
    const driver = parallel();
    const share = (n: number) => ({
      do: 'continue' as const,
      set_shared: {
        total: { sum: n },
        low: { min: n },
        high: { max: n },
        seen: { count: true },
        all: { append: n },
      },
    });
    for (const n of [2, 0, 1]) driver.ok(`start.1/${n}`, null, share(n));
    expect(driver.state.ctx).toEqual({ total: 3, low: 0, high: 2, seen: 3, all: [2, 0, 1] });
  });

  it('a reducer does not fit a value of another type', () => {
    const driver = new Driver(plan([step('start', { tasks: [task('a'), task('b')] })]));
    driver.ok('start.1', null, { do: 'continue', set_ctx: { s: 'text' } });
    driver.ok('start.1', null, { do: 'continue', set_shared: { s: { sum: 1 } } });
    expect(driver.state.error!.message).toMatch(/does not fit the value of ctx\.s: "text"/);
  });

  it('a key is either shared or set, not both, in a parallel loop', () => {
    const driver = parallel();
    driver.ok('start.1/0', null, { do: 'continue', set_shared: { k: { sum: 1 } } });
    driver.ok('start.1/1', null, { do: 'continue', set_ctx: { k: 5 } });
    expect(driver.state.error!.message).toMatch(/shared through set_shared/);
  });

  it('set_shared with an unknown reducer fails and lists the known ones', () => {
    const driver = parallel();
    driver.ok('start.1/0', null, { do: 'continue', set_shared: { total: { add: 1 } } });
    expect(driver.state.error!.message).toMatch(/append, sum, min, max, count, merge/);
  });
});

describe('loops', () => {
  it('sequential: one at a time, results in order with stats, boundary event loop.done', () => {
    const to = [arc('after', { when: "{{ event.name == 'loop.done' and loop.length == 3 }}" })];
    const driver = new Driver(plan([step('start', { loop: loop([1, 2, 3]), to }), step('after')]));
    for (let index = 0; index < 3; index++) {
      expect(driver.ready()).toEqual([`start.1/${index}`]);
      driver.ok(`start.1/${index}`, index * 10);
    }
    expect(driver.ready()).toEqual(['after.1']);
    const { result } = driver.state.steps.get('start')!;
    expect(result).toEqual({ results: [0, 10, 20], stats: { total: 3, succeeded: 3, failed: 0 } });
  });

  it('parallel: never more than max_in_flight, in any order of completion', () => {
    const items = Array.from({ length: 25 }, (_, index) => index);
    const driver = new Driver(
      plan([step('start', { loop: loop(items, { mode: 'parallel', maxInFlight: 4 }) })]),
    );
    while (driver.state.status === 'running') {
      expect(driver.state.jobs.size).toBeLessThanOrEqual(4);
      const last = driver.ready().at(-1)!;
      driver.ok(last, Number(last.split('/')[1]));
    }
    expect(driver.state.steps.get('start')!.result).toMatchObject({ results: items });
  });

  it('an empty collection ends at once', () => {
    const driver = new Driver(plan([step('start', { loop: loop([]) })]));
    expect(driver.state.status).toBe('succeeded');
  });

  it('the collection comes from a template, as list, map or reference', () => {
    const driver = new Driver(plan([step('start', { loop: loop('{{ workload.rows }}') })]), {
      rows: { a: 1, b: 2 },
    });
    expect(driver.state.loops.get('start.1')!.items).toEqual([
      { key: 'a', value: 1 },
      { key: 'b', value: 2 },
    ]);
  });

  it('an invalid collection fails the step and says what it got', () => {
    const driver = new Driver(plan([step('start', { loop: loop('{{ workload.rows }}') })]), { rows: 5 });
    expect(driver.state.error!.message).toMatch(/start\/loop\/in to be a list, got 5/);
  });

  it('max_in_flight may be a template', () => {
    const spec = loop([1, 2, 3, 4], { mode: 'parallel', maxInFlight: '{{ workload.n }}' });
    expect(new Driver(plan([step('start', { loop: spec })]), { n: 2 }).state.jobs.size).toBe(2);
    const none = new Driver(plan([step('start', { loop: spec })]), { n: 0 });
    expect(none.state.error!.message).toMatch(/max_in_flight to be a whole number above 0, got 0$/);
  });

  it('fail-fast: the first failure ends the step and its other iterations', () => {
    const driver = new Driver(plan([step('start', { loop: loop([1, 2, 3], { mode: 'parallel' }) })]));
    driver.lease('start.1/0');
    driver.fail('start.1/1', 'bad item');
    expect(driver.state.status).toBe('failed');
    expect(driver.state.jobs.size).toBe(0);
    expect(driver.state.error!.message).toBe('iteration 2 of 3 failed: bad item');
    const late = { type: 'ReportJob', job_id: 'start.1/0', fence: 1, reports: [] } satisfies Command;
    expect(driver.refusal(late)).toBe('execution_ended');
  });

  it('best-effort: collects failures and succeeds', () => {
    const spec = loop([1, 2, 3], { mode: 'parallel', failure: 'best_effort' });
    const driver = new Driver(plan([step('start', { loop: spec })]));
    driver.fail('start.1/1', 'bad item');
    driver.runAll(() => 'ok');
    expect(driver.state.status).toBe('succeeded');
    expect(driver.state.steps.get('start')!.result).toMatchObject({
      results: ['ok', null, 'ok'],
      stats: { total: 3, succeeded: 2, failed: 1 },
      errors: [{ index: 1, error: { message: 'bad item' } }],
    });
  });

  it('nested: the inner collection reads the outer item; results nest', () => {
    const inner = loop('{{ iter.city.hotels }}', { iterator: 'hotel' });
    const cities = [{ hotels: ['a', 'b'] }, { hotels: ['c'] }];
    const spec = loop(cities, { iterator: 'city', mode: 'parallel', inner });
    const driver = new Driver(plan([step('start', { loop: spec, tasks: [task('work')] })]));
    expect(driver.ready()).toEqual(['start.1/0/0', 'start.1/1/0']);
    driver.runAll((id) => id);
    expect(driver.state.steps.get('start')!.result).toEqual({
      results: [
        { results: ['start.1/0/0', 'start.1/0/1'], stats: { total: 2, succeeded: 2, failed: 0 } },
        { results: ['start.1/1/0'], stats: { total: 1, succeeded: 1, failed: 0 } },
      ],
      stats: { total: 2, succeeded: 2, failed: 0 },
    });
  });

  it('nested: an inner failure fails the outer iteration', () => {
    const spec = loop([1, 2], { failure: 'best_effort', inner: loop([1, 2], { iterator: 'row' }) });
    const driver = new Driver(plan([step('start', { loop: spec })]));
    driver.fail('start.1/0/0');
    driver.runAll();
    expect(driver.state.steps.get('start')!.stats).toEqual({ total: 2, succeeded: 1, failed: 1 });
  });

  it('finished iterations leave the state', () => {
    const items = Array.from({ length: 500 }, (_, index) => index);
    const driver = new Driver(plan([step('start', { loop: loop(items, { mode: 'parallel' }) }), step('x')]));
    for (let count = 0; count < 400; count++) driver.ok(driver.ready()[0]!);
    expect(driver.state.jobs.size).toBe(10);
  });
});
