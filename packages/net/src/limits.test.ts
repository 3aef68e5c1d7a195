import { arc, Driver, loop, plan, step } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import { turn } from './decide.ts';
import type { Json } from './json.ts';
import { DEFAULT_LIMITS, type Limits, overBytes } from './limits.ts';
import { roughSize } from './rough-size.ts';
import { emptyState, type State } from './state.ts';

const parallel = (items: Json, more = {}) =>
  loop(items as never, { mode: 'parallel', maxInFlight: 1000, ...more });
const limited = (
  steps: ReturnType<typeof step>[],
  limits: Partial<Limits>,
  page?: { results: number; bytes: number },
) => new Driver(plan(steps), {}, { limits, ...(page ? { page } : {}) });
const ids = ({ jobs }: State) => [...jobs.keys()];

describe('beyond their limit, these wait', () => {
  it('iterations', () => {
    const driver = limited([step('each', { loop: parallel([1, 2, 3, 4, 5]) })], { jobs: 2 });
    expect(ids(driver.state)).toEqual(['each.1/0', 'each.1/1']);
    driver.ok('each.1/0');
    expect(ids(driver.state)).toEqual(['each.1/1', 'each.1/2']);
  });

  it('tokens', () => {
    const many = step('start', { mode: 'inclusive', to: ['a', 'b', 'c'] });
    const driver = limited([many, step('a'), step('b'), step('c')], { jobs: 2 });
    driver.ok('start.1');
    expect(ids(driver.state)).toEqual(['a.1', 'b.1']);
    driver.ok('a.1');
    expect(ids(driver.state)).toEqual(['b.1', 'c.1']);
  });

  it('iterations behind one that takes long', () => {
    const driver = limited([step('each', { loop: parallel([0, 1, 2, 3, 4]) })], { iterations: 2 });
    driver.ok('each.1/1');
    expect(ids(driver.state)).toEqual(['each.1/0']);
    driver.ok('each.1/0');
    expect(ids(driver.state)).toEqual(['each.1/2', 'each.1/3']);
  });

  it('outer iterations, so that the inner ones of the first come first', () => {
    const nested = parallel([0, 1, 2], { inner: parallel([0, 1, 2], { iterator: 'row' }) });
    const driver = limited([step('each', { loop: nested })], { jobs: 4 });
    expect(ids(driver.state)).toEqual(['each.1/0/0', 'each.1/0/1', 'each.1/0/2', 'each.1/1/0']);
    expect(driver.state.loops.size).toBe(3);
  });

  it('nothing in a nest that is deeper than the limit', () => {
    const nested = parallel([0, 1], { inner: parallel([0, 1], { inner: parallel([0, 1]) }) });
    const driver = limited([step('each', { loop: nested })], { loops: 1 });
    expect(driver.runAll().state.status).toBe('succeeded');
  });

  it('outer loops, so that each level inside keeps a place', () => {
    const third = parallel([0, 1], { iterator: 'third' });
    const nested = parallel([0, 1, 2], { inner: parallel([0, 1], { iterator: 'second', inner: third }) });
    const driver = limited([step('each', { loop: nested })], { loops: 3 });
    let most = 0;
    while (driver.state.jobs.size > 0) {
      most = Math.max(most, driver.state.loops.size);
      driver.ok(ids(driver.state).at(-1)!);
    }
    expect([driver.state.status, most]).toEqual(['succeeded', 3]);
  });
});

describe('beyond their limit, these fail', () => {
  it('tokens that two arcs to the same step create endlessly', () => {
    const driver = limited([step('start', { mode: 'inclusive', to: ['start', 'start'] })], {
      tokens: 10,
      jobs: 5,
    });
    driver.runAll();
    expect(driver.state.status).toBe('failed');
    expect(driver.state.error).toMatchObject({
      code: 'limit/tokens',
      message: expect.stringMatching(/limit is 10\. Most of them wait for step "start".*--limit tokens=N/),
    });
    expect(driver.state.tokens.size).toBe(0);
  });

  it('a cycle that never ends', () => {
    const driver = limited([step('start', { to: ['start'] })], { events: 100 });
    driver.runAll();
    expect(driver.state.error).toMatchObject({ code: 'limit/events' });
  });
});

it.each([1, 2, 8, 20])('the size of many tokens is estimated from a sample: one in %i is large', (every) => {
  const state = emptyState('x', plan([step('start')]));
  for (let index = 0; index < 8000; index++) {
    const args = { text: 'x'.repeat(index % every === 0 ? 10_000 : 0) };
    state.tokens.set(`t${index}`, { id: `t${index}`, step: 'start', args });
  }
  const exact = [...state.tokens.values()].reduce((sum, { args }) => sum + roughSize(args) + 300, 0);
  expect(Math.abs(overBytes(state, DEFAULT_LIMITS).bytes / exact - 1)).toBeLessThan(0.1);
});

describe('a long loop', () => {
  const items = Array.from({ length: 25 }, (_, index) => index);

  it('stores its results in pages, and has them all in the end', () => {
    const driver = limited(
      [step('each', { loop: parallel(items) })],
      { jobs: 3 },
      { results: 4, bytes: 1e9 },
    );
    let held = 0;
    while (driver.state.jobs.size > 0) {
      const [id] = driver.state.jobs.keys();
      driver.ok(id!, id!);
      for (const { results } of driver.state.loops.values()) held = Math.max(held, results.length);
    }
    expect(driver.names().filter((name) => name === 'loop.results.stored').length).toBeGreaterThan(4);
    expect(held).toBeLessThan(10);
    const expected = {
      results: items.map((index) => `each.1/${index}`),
      stats: { total: 25, succeeded: 25, failed: 0 },
    };
    expect(driver.state.steps.get('each')?.result).toEqual(expected);
  });

  it('stores large results before there are many', () => {
    const driver = limited([step('each', { loop: loop(items) })], {}, { results: 1000, bytes: 100 });
    driver.runAll(() => 'x'.repeat(60));
    expect(driver.names().filter((name) => name === 'loop.results.stored').length).toBeGreaterThan(10);
    expect(driver.state.steps.get('each')).toMatchObject({ result: { results: { length: 25 } } });
  });

  it('starts no further iterations while large results pile up behind a slow one', () => {
    const driver = limited([step('each', { loop: parallel(items, { maxInFlight: 3 }) })], {});
    const large = 'x'.repeat(5 * 1024 * 1024);
    for (const index of [1, 2]) driver.ok(`each.1/${index}`, large);
    expect(ids(driver.state)).toEqual(['each.1/0', 'each.1/3']);
    driver.ok('each.1/0');
    expect(ids(driver.state)).toEqual(['each.1/3', 'each.1/4', 'each.1/5']);
  });

  it('counts no bytes for results that are null', () => {
    const driver = limited([step('each', { loop: loop(items) })], {}, { results: 5, bytes: 60 });
    driver.runAll();
    expect(driver.names().filter((name) => name === 'loop.results.stored')).toHaveLength(5);
  });

  it('lets a run wait for a person only once its results are one value', () => {
    const gated = [
      step('start', { mode: 'inclusive', to: ['gate', 'each'] }),
      step('gate'),
      step('each', { loop: loop([1, 2]), to: ['after'] }),
      step('after'),
    ];
    const driver = limited(gated, {}, { results: 1, bytes: 1e9 });
    driver.endsLoops = false;
    driver.ok('start.1');
    const fence = driver.lease('gate.1');
    const asks = { type: 'parked', human: { reason: 'approval' } } as const;
    driver.do({ type: 'ReportJob', job_id: 'gate.1', fence, reports: [asks] });
    for (const id of ['each.1/0', 'each.1/1']) driver.ok(id);
    expect([driver.state.status, driver.state.loops.size]).toEqual(['running', 1]);
    driver.do({ type: 'EndLoop', loop_id: 'each.1', result: 'both' });
    expect(driver.ready()).toEqual(['after.1']);
    driver.ok('after.1');
    expect(driver.state.status).toBe('needs_human');
  });

  it('keeps the first errors, and counts all', () => {
    const many = loop('{{ range(10050) }}', { failure: 'best_effort' });
    const driver = limited([step('each', { loop: many })], {});
    for (let index = 0; index < 10_050; index++) driver.fail(`each.1/${index}`);
    const { errors, stats } = driver.state.steps.get('each')!.result as { errors: Json[]; stats: Json };
    expect([errors.length, stats]).toEqual([10_000, { total: 10_050, succeeded: 0, failed: 10_050 }]);
  });

  it('iterates over a range without making a list of it', () => {
    const driver = limited([step('each', { loop: loop('{{ range(5, 1000000000000, 3) }}') })], {});
    expect(driver.state.loops.get('each.1')).toMatchObject({
      items: { from: 5, step: 3 },
      total: 333333333332,
    });
    expect(JSON.stringify(driver.events).length).toBeLessThan(2000);
  });
});

describe('templates', () => {
  /** False, after most of what one evaluation may do. */
  const heavy = "{% for i in range(300) %}{% for j in range(1000) %}{% endfor %}{% endfor %}{{ 'no' }}";
  const ten = <T>(make: (index: number) => T): T[] => Array.from({ length: 10 }, (_, index) => make(index));
  const shared =
    /^after the templates that were evaluated before it .* this template takes too many operations/;

  it.each([
    ['guards', step('start', { to: ten(() => arc('end', { when: heavy })) })],
    [
      'args',
      step('start', { to: ten((index) => arc('end', { args: { [index]: heavy } })), mode: 'inclusive' }),
    ],
    ['set_ctx', { ...step('start'), setCtx: Object.fromEntries(ten((index) => [`key${index}`, heavy])) }],
    ['admission rules', step('start', { admit: ten(() => ({ when: heavy, allow: false })) })],
  ])('of one step (%s) share what they may use', (_what, first) => {
    const driver = limited([first, step('end')], {}).runAll();
    expect(driver.state.status).toBe('failed');
    expect(driver.state.error).toMatchObject({ code: 'expr/fuel', message: expect.stringMatching(shared) });
    expect(driver.replayed()).toEqual(driver.state);
  });

  it('that compute for long end a turn, and each step has its own share', () => {
    const chain = ten((index) =>
      step(`s${index}`, {
        tasks: [],
        to: [arc(`s${index + 1}`, { when: `${heavy}{{ true }}` }), arc(`s${index + 1}`)],
      }),
    );
    const document = plan([...chain, step('s10', { tasks: [] })]);
    const state = emptyState('test', document);
    const env = new Driver(plan([step('start')])).env();
    let turns = 1;
    let result = turn(state, { type: 'StartExecution', plan_hash: 'h', workload: {} }, env);
    for (; result.unsettled; turns++) result = turn(state, { type: 'SettleExecution' }, env);
    expect(state.status).toBe('succeeded');
    expect(turns).toBeGreaterThan(2);
  });
});
