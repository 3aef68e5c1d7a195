import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastJson, playbook, runWoof, startWoof, temporaryFolder, until } from './woof.ts';

const twoSteps = playbook(
  '- step: start\n  tool: {kind: noop, result: {n: 1}}\n  next: {arcs: [{step: end, when: "{{ workload.go }}"}]}\n- step: end\n  tool: {kind: noop, result: done}\n',
  'workload: {go: true}\n',
);

async function withRuns(count: number, text = twoSteps, flags: string[] = []) {
  const cwd = temporaryFolder({ 'a.yaml': text });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push(lastJson(await runWoof(['run', 'a.yaml', '--json', ...flags], { cwd })).execution_id);
  }
  return { cwd, ids, woof: (...args: string[]) => runWoof(args, { cwd }) };
}

describe('runs and RUN', () => {
  test('newest first, filtered, limited', async () => {
    const { ids, woof } = await withRuns(3);
    const rows = lastJson<{ execution_id: string }[]>(await woof('runs', '--json'));
    expect(rows.map((row) => row.execution_id)).toEqual([...ids].reverse());
    expect(lastJson<unknown[]>(await woof('runs', '--json', '--limit', '2'))).toHaveLength(2);
    expect(lastJson<unknown[]>(await woof('runs', '--json', '--status', 'failed'))).toEqual([]);
    const found = async (...flags: string[]) =>
      lastJson<{ execution_id: string }[]>(await woof('runs', '--json', ...flags)).length;
    expect(
      await found('--status', 'failed,succeeded', '--since', '1h', '-q', ids[0]!.slice(-6).toUpperCase()),
    ).toBe(1);
    expect(await found('--since', '2999-01-01')).toBe(0);
    expect(await woof('runs', '--since', 'lately')).toMatchObject({ status: 2 });
    expect(await woof('runs', '--status', 'failed,asleep')).toMatchObject({ status: 2 });
    expect((await woof('runs')).stdout).toMatch(new RegExp(`^${ids[2]} {2}✓ succeeded`));
  });

  test('an id, its beginning, its end, last', async () => {
    const { ids, woof } = await withRuns(2);
    const [first = '', second = ''] = ids;
    for (const [word, id] of [
      [first, first],
      [first.slice(-8), first],
      ['last', second],
    ] as const) {
      expect(lastJson(await woof('show', word, '--json')).execution_id).toBe(id);
    }
  });

  test('ambiguous and unknown: the candidates are listed, status 2', async () => {
    const { ids, woof } = await withRuns(2);
    const ambiguous = await woof('show', '20');
    expect(ambiguous).toMatchObject({ status: 2, stdout: '' });
    for (const id of ids) expect(ambiguous.stderr).toContain(id);
    expect(await woof('show', 'zzz')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/there is no run "zzz"\n {2}fix: known:\n {4}\d{8}-/),
    });
  });

  test('a file in place of a run: its runs are listed', async () => {
    const { cwd, ids, woof } = await withRuns(1);
    const { file } = lastJson<{ file: string }>(await woof('show', 'last', '--json'));
    mkdirSync(join(cwd, 'other'));
    writeFileSync(join(cwd, 'other/a.yaml'), '');
    expect((await woof('show', file)).stderr).toMatch(
      new RegExp(`is a file, not a run\n {2}fix: choose one of its runs:\n {4}${ids[0]}`),
    );
    expect((await woof('cancel', 'other/a.yaml')).stderr).toBe(
      'error: "other/a.yaml" is a file, not a run\n  fix: it has no runs here; to list all runs: woof runs\n',
    );
  });
});

describe('readers of a run', () => {
  test('show', async () => {
    const { ids, woof } = await withRuns(1);
    const { stdout } = await woof('show', 'last');
    for (const said of [ids[0], '✓ start', '{"n":1}', '✓ end', '"done"']) expect(stdout).toContain(said);
    expect(lastJson(await woof('show', 'last', '--json'))).toMatchObject({
      status: 'succeeded',
      steps: { start: { status: 'succeeded', runs: 1, retries: 0 } },
      result: 'done',
      workload: { go: true },
    });
  });

  test('events --json: full envelopes with contiguous seq', async () => {
    const { ids, woof } = await withRuns(1);
    const lines = (await woof('events', 'last', '--json')).stdout.trimEnd().split('\n');
    const events = lines.map(
      (line) => JSON.parse(line) as { seq: number; name: string; execution_id: string },
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(events[0]).toMatchObject({
      name: 'playbook.execution.requested',
      execution_id: ids[0],
      event_id: `${ids[0]}:1`,
    });
    expect(events.at(-1)?.name).toBe('playbook.processed');
    expect((await woof('events', 'last')).stdout.trimEnd().split('\n')).toHaveLength(events.length);
    expect((await woof('events', 'last', '--follow', '--json')).stdout.trimEnd().split('\n')).toEqual(lines);
  });

  test('result of a run and of a step; a step that has none', async () => {
    const { woof } = await withRuns(1, twoSteps, ['--set', 'go=false']);
    expect(await woof('result', 'last', 'start', '--json')).toMatchObject({ status: 0, stdout: '{"n":1}\n' });
    expect(await woof('result', 'last', 'end')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has no result; its status is skipped'),
    });
    expect(await woof('result', 'last', 'strat')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('did you mean "start"?'),
    });
  });

  test('a large result is printed in full; --ref says where it is stored', async () => {
    const { woof } = await withRuns(
      1,
      playbook('- step: start\n  tool: {kind: noop, result: "{{ range(50000) | list }}"}\n'),
    );
    expect(lastJson(await woof('result', 'last', '--json', '--ref'))).toMatchObject({
      store: 'file',
      key: expect.any(String),
    });
    const whole = lastJson<number[]>(await woof('result', 'last', '--json'));
    expect([whole.length, whole.at(-1)]).toEqual([50_000, 49_999]);
  });

  test('the same of a list that is stored in parts', async () => {
    const add = `spec: {policy: {rules: [{else: {then: {do: continue, set_shared: {rows: {append: "{{ 'x' * 40000 }}"}}}}}]}}`;
    const { woof } = await withRuns(
      1,
      playbook(`- step: start
  loop: {in: "{{ range(9) | list }}", iterator: i}
  tool: {kind: noop, ${add}}
  next: {arcs: [{step: end}]}
- {step: end, tool: {kind: noop, result: "{{ ctx.rows }}"}}
`),
    );
    expect((await woof('rerun', 'last', '--from', 'end')).stderr).toContain('the result has 351.6 KiB');
    const isHandle = { kind: 'reference', key: expect.any(String) };
    expect(lastJson(await woof('result', 'last', '--json', '--ref'))).toMatchObject({
      ...isHandle,
      more: { pages: expect.arrayContaining([expect.objectContaining(isHandle)]) },
    });
    expect(lastJson(await woof('result', 'last', '--json'))).toHaveLength(9);
  });

  test('why: a step that no arc led to; a failure', async () => {
    const { woof } = await withRuns(1, twoSteps, ['--set', 'go=false']);
    expect((await woof('why', 'last', 'end')).stdout).toContain('no arc led to it');
    expect(lastJson(await woof('why', 'last', '--json'))).toMatchObject({
      status: 'succeeded',
      reasons: [{ step: 'end' }],
    });
  });

  test('logs: the output of tasks, by step, also as JSON', async () => {
    const text = playbook(
      "- step: start\n  tool: {kind: python, code: \"print('one'); print('two')\"}\n  next: {arcs: [{step: end}]}\n- step: end\n  tool: {kind: noop}\n",
    );
    const { woof } = await withRuns(1, text);
    expect((await woof('logs', 'last')).stdout).toBe('start | one\nstart | two\n');
    expect((await woof('logs', 'last', '--step', 'start')).stdout).toBe('start | one\nstart | two\n');
    expect(await woof('logs', 'last', '--step', 'end')).toEqual({
      status: 0,
      stdout: '',
      stderr: 'step "end" wrote nothing; for the result: woof result last end\n',
    });
    expect((await woof('logs', 'last', '--tail', '1')).stdout).toBe('start | two\n');
    expect((await woof('logs', 'last', '-q', 'ON', '--step', 'start')).stdout).toBe('start | one\n');
    expect(await woof('logs', 'last', '--grep', 'o.e')).toMatchObject({
      stdout: '',
      stderr: 'the tasks of this run wrote nothing that contains "o.e"\n',
    });
    expect(await woof('logs', 'last', '--tail', '0')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected a whole number from 1 to 10000'),
    });
    expect(await woof('logs', 'last', '--step', 'strat')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean "start"?'),
    });
    expect(lastJson(await woof('logs', 'last', '--json', '--follow'))).toMatchObject({
      step: 'start',
      stream: 'stdout',
    });
  });

  test('beside a live run: everything can be read', async () => {
    const cwd = temporaryFolder({
      'a.yaml': playbook('- step: start\n  tool: {kind: wait, seconds: 3600}\n'),
    });
    const running = startWoof(['run', 'a.yaml'], { cwd });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    await until('the run waits', async () => (await woof('why', 'last')).stdout.includes('waits until'));
    expect((await woof('runs')).stdout).toContain('running');
    expect((await woof('show', 'last')).stdout).not.toContain('no process drives the run');
    const followed = startWoof(['events', 'last', '--follow'], { cwd });
    await until('the follower has caught up', () => followed.stdout().includes('job.parked'));
    await woof('cancel', 'last');
    expect((await followed.ended).stdout).toContain('execution.cancelled');
    expect((await running.ended).status).toBe(1);
  });

  test('show: a step with one run that ended and another in progress is running', async () => {
    const arcs = '[{step: w, args: {s: 3600}}, {step: w, args: {s: 0}}]';
    const cwd = temporaryFolder({
      'a.yaml': playbook(
        `- step: start\n  tool: {kind: noop}\n  next: {spec: {mode: inclusive}, arcs: ${arcs}}\n- step: w\n  tool: {kind: wait, seconds: "{{ args.s }}"}\n`,
      ),
    });
    const running = startWoof(['run', 'a.yaml'], { cwd });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    await until('one run of w ended', async () => {
      const { stdout } = await woof('events', 'last', '--json');
      return stdout.split('\n').some((line) => /"step\.done"/.test(line) && /"step":"w"/.test(line));
    });
    expect((await woof('show', 'last')).stdout).toMatch(/w +running/);
    expect(lastJson(await woof('show', 'last', '--json')).steps.w).toMatchObject({
      status: 'running',
      runs: 2,
    });
    await woof('cancel', 'last');
    await running.ended;
    expect(lastJson(await woof('show', 'last', '--json')).steps.w?.status).not.toBe('running');
  });

  test('rerun adopts what succeeded and runs the rest again', async () => {
    const { cwd, woof } = await withRuns(1);
    const again = lastJson(await woof('rerun', 'last', '--from', 'end', '--json'));
    expect(again).toMatchObject({
      status: 'succeeded',
      steps: { start: { result: { n: 1 } }, end: { result: 'done' } },
    });
    const events = (await woof('events', 'last', '--json')).stdout;
    expect(events.match(/"step\.started"/g)).toHaveLength(1);
    expect(events).toContain('"step.adopted"');
    writeFileSync(join(cwd, 'a.yaml'), readFileSync(join(cwd, 'a.yaml'), 'utf8').replace('done', 'changed'));
    expect(lastJson(await woof('rerun', 'last', '--json')).steps.end?.result).toBe('done');
    expect(await woof('rerun', 'last', '--from', 'nope')).toMatchObject({ status: 2 });
  });

  test('a rerun of a rerun knows the tokens and ctx of the first', async () => {
    const chain = playbook(
      ['a', 'b', 'c']
        .map((step, i) => {
          const set = `spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {${step}: "{{ outcome.result }}"}}}}]}}`;
          const next = i < 2 ? `  next: {arcs: [{step: ${'bc'[i]}, args: {from: ${step}}}]}\n` : '';
          return `- step: ${step}\n  tool: {kind: noop, result: "${step}{{ args.from | default('') }}", ${set}}\n${next}`;
        })
        .join(''),
      'executor: {spec: {entry_step: a}}\n',
    );
    const { woof } = await withRuns(1, chain);
    const statuses = ['c', 'b', 'a', 'c'].map((from) => ['rerun', 'last', '--from', from, '--json']);
    for (const args of statuses) {
      const ran = await woof(...args);
      expect(lastJson(ran).steps).toMatchObject({
        a: { result: 'a' },
        b: { result: 'ba' },
        c: { result: 'cb' },
      });
      const { ctx } = lastJson<{ ctx: unknown }>(await woof('show', 'last', '--json'));
      expect(ctx).toEqual({ a: 'a', b: 'ba', c: 'cb' });
    }
  });

  test('doctor', async () => {
    const cwd = temporaryFolder();
    const kernel = join(cwd, 'kernels', 'martian');
    mkdirSync(kernel, { recursive: true });
    writeFileSync(join(kernel, 'kernel.json'), '{"argv": ["x"], "language": "Martian"}');
    const { ok, findings } = lastJson<{
      ok: boolean;
      findings: { name: string; status: string; found: string }[];
    }>(await runWoof(['doctor', '--json'], { cwd, env: { JUPYTER_PATH: cwd } }));
    const kernels = findings.find(({ name }) => name === 'Jupyter kernels')?.found;
    expect(kernels).toMatch(/^martian \(martian\)/);
    expect(ok).toBe(true);
    const works = ({ status }: { status: string }) => status === 'ok';
    expect(findings.filter((each) => works(each) && each.found.includes('cannot run'))).toEqual([]);
    expect(findings.map(({ name }) => name)).toEqual([
      'Node',
      'SQLite',
      'Python',
      'R',
      'Jupyter kernels',
      'Sandbox',
      'cgroup',
      'git',
      'Slurm',
      'NATS',
      'Containers',
      'Optional packages',
      'Data',
      'Terminal',
    ]);
  });
});
