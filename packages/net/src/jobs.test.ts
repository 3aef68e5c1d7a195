import { Driver, loop, plan, step, task } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import type { Command, JobReport } from './command.ts';
import { newEvent } from './event.ts';
import { evolve } from './evolve.ts';
import { explain, mayNotAnswer } from './explain.ts';
import { failure } from './outcome.ts';
import { nextReady, outstanding } from './outstanding.ts';
import { adoptionFrom, planRerun } from './rerun.ts';
import { toSnapshot } from './snapshot.ts';
import { emptyState, type State } from './state.ts';
import { accountOf } from './summary.ts';

const report = (job_id: string, fence: number): Command => ({
  type: 'ReportJob',
  job_id,
  fence,
  reports: [],
});

describe('leases and fences', () => {
  it('a lease has one holder, and its fence only grows', () => {
    const driver = new Driver(plan([step('start')]));
    expect(driver.lease('start.1')).toBe(1);
    expect(driver.refusal({ type: 'LeaseJob', job_id: 'start.1', worker: 'other' })).toBe('job_not_ready');
    driver.do({ type: 'ExpireJob', job_id: 'start.1', fence: 1, reason: 'silent' });
    expect(driver.lease('start.1')).toBe(2);
  });

  it('leases that end with their worker are counted, until the task is over', () => {
    const driver = new Driver(plan([step('start', { tasks: [task('a'), task('b')] })]));
    const lost = () => driver.replayed().jobs.get('start.1')!.pipeline.lost;
    for (const fence of [1, 2]) {
      driver.lease('start.1');
      driver.do({ type: 'ExpireJob', job_id: 'start.1', fence, reason: 'silent' });
    }
    expect(lost()).toBe(2);
    driver.finish('start.1', failure('exception', 'x'), { do: 'retry' });
    expect(lost()).toBe(2);
    driver.ok('start.1');
    expect(lost()).toBe(0);
  });

  it('reports under an older fence are refused', () => {
    const driver = new Driver(plan([step('start')]));
    driver.lease('start.1');
    driver.do({ type: 'ExpireJob', job_id: 'start.1', fence: 1, reason: 'silent' });
    expect(driver.refusal(report('start.1', 1))).toBe('stale_fence');
    driver.lease('start.1');
    expect(driver.refusal(report('start.1', 1))).toBe('stale_fence');
    expect(driver.refusal(report('start.1', 2))).toBeUndefined();
  });

  it('a report that arrives twice is recorded once', () => {
    const driver = new Driver(plan([step('start', { tasks: [task('a'), task('b')] })]));
    driver.lease('start.1');
    const run = { label: 'a', task_run_id: 'start.1/a.1', attempt: 1 };
    const outcome = { status: 'ok', result: 1 } as const;
    const reports: JobReport[] = [
      { type: 'started', ...run },
      { type: 'done', ...run, outcome, directive: { do: 'continue' } },
    ];
    const command: Command = { type: 'ReportJob', job_id: 'start.1', fence: 1, reports };
    driver.do(command);
    expect(driver.refusal(command)).toBe('already_recorded');
    expect(driver.state.jobs.get('start.1')!.pipeline.taskRuns).toBe(1);
  });

  it('a step run that succeeded accepts no further reports', () => {
    const driver = new Driver(plan([step('start', { to: ['b'] }), step('b')]));
    driver.ok('start.1');
    expect(driver.refusal(report('start.1', 1))).toBe('job_not_found');
  });

  it('a job that is claimed again comes with its records', () => {
    const driver = new Driver(plan([step('start', { tasks: [task('a'), task('b'), task('c')] })]));
    driver.ok('start.1', { page: 1 }, { do: 'continue', set_iter: { page: 1 }, set_vars: { seen: true } });
    driver.do({ type: 'ExpireJob', job_id: 'start.1', fence: 1, reason: 'killed' });
    const { pipeline } = driver.replayed().jobs.get('start.1')!;
    expect(pipeline).toMatchObject({
      pc: 1,
      attempt: 0,
      iter: { page: 1 },
      vars: { seen: true },
      prev: { page: 1 },
    });
  });
});

describe('directives', () => {
  const three = () => new Driver(plan([step('start', { tasks: [task('a'), task('b'), task('c')] })]));
  const pipelineOf = (driver: Driver) => driver.state.jobs.get('start.1')!.pipeline;

  it('continue runs the next task, and _prev becomes the result', () => {
    const driver = three();
    driver.ok('start.1', 'one');
    expect(pipelineOf(driver)).toMatchObject({ pc: 1, prev: 'one', results: { a: 'one' } });
  });

  it('skip runs the next task, and _prev stays', () => {
    const driver = three();
    driver.ok('start.1', 'one');
    driver.ok('start.1', null, { do: 'skip' });
    expect(pipelineOf(driver)).toMatchObject({ pc: 2, prev: 'one' });
  });

  it('jump goes to the label and restarts the attempt count', () => {
    const driver = three();
    driver.ok('start.1');
    driver.ok('start.1', null, { do: 'retry' });
    expect(pipelineOf(driver)).toMatchObject({ pc: 1, attempt: 1 });
    driver.ok('start.1', null, { do: 'jump', to: 'a' });
    expect(pipelineOf(driver)).toMatchObject({ pc: 0, attempt: 0 });
  });

  it('break succeeds with the result so far', () => {
    const driver = three();
    driver.ok('start.1', 'early', { do: 'break' });
    expect(driver.state.status).toBe('succeeded');
    expect(driver.state.result).toBe('early');
  });

  it('fail fails even after an ok outcome', () => {
    const driver = three();
    driver.ok('start.1', null, { do: 'fail' });
    expect(driver.state.error).toMatchObject({
      message: 'a rule of task "a" says "do: fail"',
      task: 'a',
      attempts: 1,
    });
  });

  it('retry keeps the place, counts, and sets the earliest time', () => {
    const driver = three();
    driver.ok('start.1', null, { do: 'retry', delay_ms: 500 });
    expect(pipelineOf(driver)).toMatchObject({ pc: 0, attempt: 1, notBefore: 1500 });
    expect(driver.state.steps.get('start')!.retries).toBe(1);
  });

  it('set_prev overrides', () => {
    const driver = three();
    driver.ok('start.1', 'x', { do: 'continue', set_prev: 'y' });
    expect(pipelineOf(driver).prev).toBe('y');
  });
});

describe('order', () => {
  it('if a plan limits its concurrency, the lowest rank goes first and the others wait', () => {
    const cells = ['c', 'a', 'b'].map((name, index) => step(name, { join: 'all', rank: [2, 0, 1][index]! }));
    const driver = new Driver(plan(cells, { failure: 'skip', entry: ['c', 'a', 'b'], concurrency: 1 }));
    const order: string[] = [];
    for (let job = nextReady(driver.state); job !== undefined; job = nextReady(driver.state)) {
      order.push(job);
      driver.lease(job);
      expect(nextReady(driver.state)).toBeUndefined();
      driver.ok(job);
    }
    expect(order).toEqual(['a.1', 'b.1', 'c.1']);
  });
});

describe('the worker that must take a job', () => {
  /** Who must take each ready job in turn. Every job is taken by a worker of its own, unless it has to stay. */
  const homes = (driver: Driver): (string | undefined)[] => {
    const found: (string | undefined)[] = [];
    for (let number = 1; ; number++) {
      let home: string | undefined;
      const job = nextReady(driver.state, (_, must) => {
        home = must;
        return true;
      });
      if (job === undefined) return found;
      found.push(home);
      driver.do({ type: 'LeaseJob', job_id: job, worker: home ?? `w${number}` });
    }
  };
  const looped = (exec: 'local' | 'distributed', inner?: 'local') =>
    step('start', {
      loop: {
        ...over([1, 2], exec),
        ...(inner ? { inner: over([1, 2], inner) } : {}),
      },
    });
  const over = (items: number[], exec: 'local' | 'distributed') => ({
    in: items,
    iterator: `i_${exec}`,
    mode: 'parallel' as const,
    maxInFlight: 10,
    exec,
    failure: 'fail_fast' as const,
  });
  const entries = [step('a'), step('b'), step('c')];

  it('any, unless something keeps jobs together', () => {
    expect(homes(new Driver(plan(entries, { entry: ['a', 'b'] })))).toEqual([undefined, undefined]);
    expect(homes(new Driver(plan([looped('distributed')])))).toEqual([undefined, undefined]);
  });

  it('of a local run, the one that has its first job', () => {
    const driver = new Driver(plan(entries, { entry: ['a', 'b', 'c'], isLocal: true }));
    expect(homes(driver)).toEqual([undefined, 'w1', 'w1']);
  });

  it('of a local loop, the one that has its first iteration; inner loops stay too', () => {
    expect(homes(new Driver(plan([looped('local')])))).toEqual([undefined, 'w1']);
    const nested = [looped('local', 'local')];
    expect(homes(new Driver(plan(nested)))).toEqual([undefined, 'w1', 'w1', 'w1']);
  });

  it('of a local loop inside another, the one that has the first iteration of that inner loop', () => {
    const driver = new Driver(plan([looped('distributed', 'local')]));
    expect(homes(driver)).toEqual([undefined, 'w1', undefined, 'w3']);
  });
});

describe('rerun', () => {
  it('after a guard that could not be evaluated, only the step that it belongs to runs again', () => {
    const to = [{ step: 'c', at: [1, 1] as const, when: '{{ 1 + missing }}' }];
    const driver = new Driver(plan([step('start', { to: ['b'] }), step('b', { to }), step('c')]));
    driver.runAll();
    expect(driver.state.status).toBe('failed');
    const adopted = adoptionFrom(driver.state, driver.events, planRerun(driver.state, {}));
    expect(Object.keys(adopted.steps)).toEqual(['start']);
    expect(adopted.tokens.map((token) => token.step)).toEqual(['b']);
  });

  it('an adopted step that runs again leaves the event that adopted it as it was', () => {
    const summary = { status: 'succeeded', runs: 1, retries: 0, result: 7 } as const;
    const events = [
      newEvent('step.adopted', 1, { step: 'start' }, { summary }),
      newEvent('token.enqueued', 1, { step: 'start' }, { token: 't1' }),
      newEvent('step.scheduled', 1, { step: 'start', step_run_id: 'start.2' }, { tokens: ['t1'] }),
    ];
    const fold = () => events.reduce<State>(evolve, emptyState('again', plan([step('start')])));
    expect(fold().steps.get('start')).toMatchObject({ status: 'running', runs: 2 });
    expect(fold().steps.get('start')).toMatchObject({ status: 'running', runs: 2 });
    expect(summary.runs).toBe(1);
  });

  it('a step that was reused names the execution in which it ran, even if that was not the last one', () => {
    const driver = new Driver(plan([step('start', { to: ['b'] }), step('b', { to: ['c'] }), step('c')]));
    driver.ok('start.1');
    driver.ok('b.1');
    driver.fail('c.1');
    const { state, events } = driver;
    state.steps.get('start')!.reused_from = 'the first';
    const { steps } = adoptionFrom(state, events, planRerun(state, {}));
    const from = Object.entries(steps).map(([name, { reused_from }]) => [name, reused_from]);
    expect(from).toEqual([
      ['start', 'the first'],
      ['b', state.execution_id],
    ]);
  });

  it.each([
    ['a value by its key', { code: '{{ workload.n }}' }, 'it may read workload.n, which changed'],
    ['a bare name', { code: '{{ 1 + n }}' }, 'it may read workload.n, which changed'],
    ['another key, and not this one', { code: '{{ workload.other + nn }}' }, undefined],
    [
      'the whole workload',
      { code: '{{ workload | tojson }}' },
      'it may read any value, and workload.n changed',
    ],
    [
      'a key that data names',
      { code: '{{ workload[args.key] }}' },
      'it may read any value, and workload.n changed',
    ],
    ['the context of code', { code: 'print(context)' }, 'it may read any value, and workload.n changed'],
    ['code in a file', { script: { uri: 'a.py' } }, 'it may read any value, and workload.n changed'],
    ['nothing', {}, undefined],
  ])('with another value, a step that reads %s', (_what, input, reason) => {
    const document = plan([step('start', { to: ['b'] }), step('b', { tasks: [task('work', { input })] })], {
      workload: { n: 1 },
    });
    const driver = new Driver(document, { n: 1 });
    driver.runAll();
    const { reused, runs } = planRerun(driver.state, { from: undefined, workload: { n: 2 } });
    const whole = 'the whole run succeeded';
    const expected =
      reason === undefined
        ? [
            ['start', whole],
            ['b', whole],
          ]
        : [['b', reason]];
    expect(runs.map((one) => [one.step, one.reason])).toEqual(expected);
    expect(reused.map((one) => one.step)).toEqual(reason === undefined ? [] : ['start']);
  });
});

describe('parking', () => {
  it('a parked job holds no lease until it is woken, and keeps its memo', () => {
    const driver = new Driver(plan([step('start')]));
    const fence = driver.lease('start.1');
    driver.do({
      ...report('start.1', fence),
      reports: [{ type: 'parked', until: 9000, memo: { at: 1 } }],
    } as Command);
    expect(driver.ready()).toEqual([]);
    expect(outstanding(driver.state).timers).toEqual([{ job_id: 'start.1', until: 9000 }]);
    const [why] = explain(driver.state);
    expect(why).toMatchObject({ kind: 'timer', reason: expect.stringContaining('waits until 1970') });
    driver.do({ type: 'WakeJob', job_id: 'start.1' });
    expect(driver.ready()).toEqual(['start.1']);
    expect(driver.state.jobs.get('start.1')!.pipeline.memo).toEqual({ at: 1 });
    expect(driver.refusal({ type: 'WakeJob', job_id: 'start.1' })).toBe('job_not_parked');
  });
});

describe('people', () => {
  it('a paused execution leases nothing, and takes a job back between two tasks', () => {
    const driver = new Driver(plan([step('start', { tasks: [task('a'), task('b')] })]));
    driver.lease('start.1');
    driver.do({ type: 'PauseExecution' });
    driver.ok('start.1');
    expect(driver.state.jobs.get('start.1')!.status).toBe('ready');
    expect(nextReady(driver.state)).toBeUndefined();
    expect(driver.refusal({ type: 'LeaseJob', job_id: 'start.1', worker: 'w' })).toBe('execution_paused');
    driver.do({ type: 'ResumeExecution' });
    driver.runAll();
    expect(driver.state.status).toBe('succeeded');
    expect(driver.state.steps.get('start')!.runs).toBe(1);
  });

  it('cancel ends running work and drops waiting work', () => {
    const driver = new Driver(plan([step('start', { to: ['b'] }), step('b')]));
    driver.lease('start.1');
    driver.do({ type: 'CancelExecution', reason: 'enough' });
    expect(driver.state.status).toBe('cancelled');
    expect(driver.state.steps.get('start')!.status).toBe('cancelled');
    expect(driver.refusal({ type: 'CancelExecution', reason: 'again' })).toBe('execution_ended');
  });

  it('explains what an execution waits for', () => {
    const driver = new Driver(
      plan([
        step('start', { to: ['a', 'b'], mode: 'inclusive' }),
        step('a', { to: ['j'] }),
        step('b', { to: ['j'] }),
        step('j', { join: 'all' }),
      ]),
    );
    driver.ok('start.1');
    driver.ok('a.1');
    driver.lease('b.1');
    expect(explain(driver.state).map(({ step, reason }) => `${step}: ${reason}`)).toEqual([
      'j: waits for step "b"',
      'b: worker w runs task "work"',
    ]);
  });
});

it('iterations that wait for a worker are explained together, running ones individually', () => {
  const driver = new Driver(
    plan([step('each', { loop: loop([1, 2, 3], { mode: 'parallel', maxInFlight: 10 }) })]),
  );
  driver.lease('each.1/0');
  expect(explain(driver.state)).toEqual([
    { step: 'each', id: 'each.1/0', kind: 'running', reason: 'worker w runs task "work"' },
    { step: 'each', id: 'each', kind: 'worker', reason: '2 iterations wait for a worker' },
  ]);
  driver.lease('each.1/1');
  expect(explain(driver.state)[2]).toEqual({
    step: 'each',
    id: 'each.1/2',
    kind: 'worker',
    reason: 'task "work" waits for a worker',
  });
});

describe('a step that waits for a person', () => {
  const gate = () => {
    const driver = new Driver(
      plan([step('start', { to: ['gate'] }), step('gate', { to: ['end'] }), step('end')]),
    );
    driver.ok('start.1');
    const fence = driver.lease('gate.1');
    const human = { reason: 'deploy?' };
    const park: JobReport = { type: 'parked', human, memo: 'mine' };
    driver.do({ type: 'ReportJob', job_id: 'gate.1', fence, reports: [park] });
    return driver;
  };

  it('makes the execution wait for one, and says why', () => {
    const { state } = gate();
    expect(state.status).toBe('needs_human');
    expect(state.steps.get('gate')!.status).toBe('needs_human');
    expect(accountOf(state).steps.gate!.status).toBe('needs_human');
    const reason = 'waits for approval: deploy?';
    expect(explain(state)).toEqual([{ step: 'gate', id: 'gate.1', kind: 'needs_human', reason }]);
  });

  it('continues when a person answers, and the tool gets the answer', () => {
    const driver = gate();
    driver.do({ type: 'AnswerStep', step: 'gate', approved: true, by: 'ada', note: 'fine' });
    expect(driver.state.status).toBe('running');
    const answer = { approved: true, by: 'ada', note: 'fine', at: driver.now };
    expect(driver.state.jobs.get('gate.1')!.pipeline.memo).toEqual({ memo: 'mine', answer });
    driver.ok('gate.1');
    driver.ok('end.1');
    expect(driver.state.status).toBe('succeeded');
  });

  it('keeps the answer for the attempts that follow', () => {
    const driver = gate();
    driver.do({ type: 'AnswerStep', step: 'gate', approved: true, override: true });
    const answer = { approved: true, override: true, at: driver.now };
    driver.finish('gate.1', failure('exception', 'x'), { do: 'retry' });
    expect(driver.state.jobs.get('gate.1')!.pipeline.memo).toEqual({ memo: null, answer });
  });

  const blocked = () => {
    const hold = { violations: ['rm (rule files)'], warnings: [] };
    const steps = [step('a', { hold, to: ['b'] }), step('b')];
    return new Driver(plan(steps, { entry: ['a'], failure: 'skip' }));
  };

  it('a step that the policy holds asks at once, and no worker may have it', () => {
    const driver = blocked();
    expect(driver.state.status).toBe('needs_human');
    expect(accountOf(driver.state).steps.a!.status).toBe('needs_human');
    expect(driver.ready()).toEqual([]);
    expect(driver.refusal({ type: 'LeaseJob', job_id: 'a.1', worker: 'w' })).toBe('job_not_ready');
    expect(driver.refusal({ type: 'WakeJob', job_id: 'a.1' })).toBe('job_not_parked');
    expect(toSnapshot(driver.replayed(4))).toEqual(toSnapshot(driver.state));
  });

  it('a held step runs only with an override, and the tool gets what was overridden', () => {
    const driver = blocked();
    const approve = { type: 'AnswerStep', step: 'a', approved: true } as const;
    expect(driver.refusal(approve)).toBe('override_needed');
    driver.do({ ...approve, override: true });
    expect(accountOf(driver.state).steps.a!.status).toBe('pending');
    const answer = { approved: true, override: true, violations: ['rm (rule files)'], at: driver.now };
    expect(driver.state.jobs.get('a.1')!.pipeline.memo).toEqual({ memo: null, answer });
    driver.runAll();
    expect(driver.state.status).toBe('succeeded');
  });

  it('a held step that is rejected fails without a worker', () => {
    const driver = blocked();
    driver.do({ type: 'AnswerStep', step: 'a', approved: false, by: 'ada', note: 'no' });
    expect(driver.state).toMatchObject({ status: 'failed', humans: 0 });
    expect(accountOf(driver.state).steps).toMatchObject({
      a: {
        status: 'failed',
        error: { kind: 'policy', message: expect.stringContaining('ada rejected it (no)') },
      },
      b: { status: 'skipped' },
    });
  });

  it('a step is pending until its job runs, and again after its worker was lost', () => {
    const driver = new Driver(plan([step('a')]));
    const status = () => accountOf(driver.state).steps.a!.status;
    expect(status()).toBe('pending');
    const fence = driver.lease('a.1');
    expect(status()).toBe('running');
    driver.do({ type: 'ExpireJob', job_id: 'a.1', fence, reason: 'silent' });
    expect(status()).toBe('pending');
  });

  it('takes one answer, and none for a step that does not wait', () => {
    const driver = gate();
    const answer = { type: 'AnswerStep', approved: false } as const;
    expect(driver.refusal({ ...answer, step: 'end' })).toBe('step_not_waiting');
    driver.do({ ...answer, step: 'gate' });
    expect(driver.refusal({ ...answer, step: 'gate' })).toBe('step_not_waiting');
  });

  it('takes an answer only from an approver, and keeps waiting after any other', () => {
    const driver = new Driver(plan([step('gate')]));
    const park: JobReport = { type: 'parked', human: { reason: 'x', approvers: ['ada'] } };
    driver.do({ type: 'ReportJob', job_id: 'gate.1', fence: driver.lease('gate.1'), reports: [park] });
    const answer = { type: 'AnswerStep', step: 'gate', approved: true } as const;
    expect(driver.refusal({ ...answer, by: 'bob' })).toBe('not_an_approver');
    expect(driver.refusal(answer)).toBe('not_an_approver');
    expect(mayNotAnswer(driver.state, 'gate', 'bob')).toBe('bob may not answer "gate"; ada must answer');
    expect(driver.state.status).toBe('needs_human');
    driver.do({ ...answer, by: 'ada' });
    expect(driver.state.status).toBe('running');
  });

  it('leaves the execution running while other work continues', () => {
    const driver = new Driver(plan([step('a'), step('b')], { entry: ['a', 'b'], failure: 'skip' }));
    const park: JobReport = { type: 'parked', human: { reason: 'x' } };
    driver.do({ type: 'ReportJob', job_id: 'a.1', fence: driver.lease('a.1'), reports: [park] });
    expect(driver.state.status).toBe('running');
    driver.ok('b.1');
    expect(driver.state.status).toBe('needs_human');
    driver.do({ type: 'CancelExecution', reason: 'enough' });
    expect(driver.state.status).toBe('cancelled');
    expect(driver.state.humans).toBe(0);
  });

  it('a wait with a time limit ends by itself', () => {
    const driver = gate();
    driver.do({ type: 'WakeJob', job_id: 'gate.1' });
    expect(driver.state.status).toBe('running');
    expect(driver.state.jobs.get('gate.1')!.pipeline.memo).toBe('mine');
  });
});
