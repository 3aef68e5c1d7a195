/** Playbooks of the older dialect through the program: rewritten, refused, and run with what the formal spec says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { lastJson, type Ran, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer } from '../server/machines.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: older, path: tests/older}\n';

const older = (workflow: string, more = '') =>
  `${HEAD}${more}workflow:\n${workflow.replaceAll(/^(?=.)/gm, '  ')}`;

const SMALL = older(`- step: start
  tool:
    - a: {kind: noop, result: 1}   # one
  next:
    - step: end
- step: end
  when: "{{ start == 1 }}"
  tool:
    - b: {kind: noop, result: "{{ start + 1 }}"}
`);

async function run(text: string, ...args: string[]): Promise<Ran> {
  const cwd = temporaryFolder({ 'older.yaml': text });
  return runWoof(['run', 'older.yaml', '--upgrade', '--json', ...args], { cwd });
}

/** The account of a run that must end with this status. */
async function accountOf(text: string, status: number, ...args: string[]) {
  const ran = await run(text, ...args);
  expect(ran, ran.stderr).toMatchObject({ status });
  return lastJson(ran);
}

describe('woof upgrade', () => {
  test('prints, checks, rewrites, and finds nothing to do afterwards', async () => {
    const cwd = temporaryFolder({ 'older.yaml': SMALL });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    const printed = await woof('upgrade', 'older.yaml');
    expect(printed).toMatchObject({ status: 0, stderr: '' });
    expect(printed.stdout).toContain('a: {kind: noop, result: 1}   # one\n');
    expect(await woof('upgrade', 'older.yaml', '--check')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('woof upgrade older.yaml --write'),
    });
    expect(readFileSync(join(cwd, 'older.yaml'), 'utf8')).toBe(SMALL);
    const json = lastJson<{ needs_upgrade: boolean; text: string }>(
      await woof('upgrade', 'older.yaml', '--json'),
    );
    expect(json).toEqual({ needs_upgrade: true, text: printed.stdout, diagnostics: [] });
    expect(await woof('upgrade', 'older.yaml', '--write')).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync(join(cwd, 'older.yaml'), 'utf8')).toBe(printed.stdout);
    expect(await woof('upgrade', 'older.yaml', '--check')).toMatchObject({ status: 0, stderr: '' });
    expect(await woof('run', 'older.yaml', '--quiet')).toMatchObject({ status: 0, stdout: '2\n' });
  });

  test('says with its place what cannot be carried over, and writes nothing', async () => {
    const text = SMALL.replace(
      'result: 1}',
      'result: 1, eval: [{else: {do: continue, set_shared: {n: 1}}}]}',
    );
    const cwd = temporaryFolder({ 'older.yaml': text });
    const ran = await runWoof(['upgrade', 'older.yaml', '--write'], { cwd });
    expect(ran).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/older\.yaml:7:\d+ .*upgrade-shared/),
    });
    expect(readFileSync(join(cwd, 'older.yaml'), 'utf8')).toBe(text);
    expect(await run(text)).toMatchObject({ status: 2, stderr: expect.stringContaining('upgrade-shared') });
  });

  test('a text that cannot be read, a notebook, two flags that exclude each other', async () => {
    const notebook = '%woofnb 1.0\n---\nname: n\n---\n';
    const cwd = temporaryFolder({ 'bad.yaml': 'a: [', 'n.woofnb': notebook, 'older.yaml': SMALL });
    expect(await runWoof(['upgrade', 'bad.yaml'], { cwd })).toMatchObject({ status: 2, stdout: '' });
    expect(await runWoof(['upgrade', 'n.woofnb'], { cwd })).toMatchObject({ status: 0, stdout: notebook });
    expect(await runWoof(['upgrade', 'older.yaml', '--write', '--check'], { cwd })).toMatchObject({
      status: 2,
    });
  });

  test('run and lint refuse the older dialect with a word about it', async () => {
    const cwd = temporaryFolder({ 'older.yaml': SMALL });
    for (const [verb, status] of [
      ['run', 2],
      ['lint', 1],
    ] as const) {
      const ran = await runWoof([verb, 'older.yaml'], { cwd });
      expect(ran.status).toBe(status);
      expect(ran.stdout + ran.stderr).toContain('woof upgrade FILE');
    }
  });
});

describe('what the formal specification says, on the upgraded playbook', () => {
  test('vars are of a step run, set_prev replaces _prev, ctx is shared by steps', async () => {
    const { steps } = await accountOf(
      older(`- step: start
  tool:
    - a:
        kind: noop
        result: 1
        eval:
          - expr: "{{ outcome.status == 'success' }}"
            do: continue
            set_vars: {x: "{{ outcome.result + 1 }}"}
            set_ctx: {y: "{{ outcome.result + 2 }}"}
            set_prev: "{{ 'replaced' }}"
    - b: {kind: noop, result: {prev: "{{ _prev }}", x: "{{ vars.x }}", task: "{{ _task }}", attempt: "{{ _attempt }}"}}
  next:
    - step: end
- step: end
  tool:
    - c: {kind: noop, result: {y: "{{ ctx.y }}", x: "{{ vars.x | default('gone') }}"}}
`),
      0,
    );
    expect(steps.start?.result).toEqual({ prev: 'replaced', x: 2, task: 'b', attempt: 1 });
    expect(steps.end?.result).toEqual({ y: 3, x: 'gone' });
  });

  test('set_shared reduces over parallel iterations; each has its own iter', async () => {
    const { steps } = await accountOf(
      older(`- step: start
  loop:
    spec: {mode: parallel, max_in_flight: 3}
    in: [1, 2, 3, 4]
    iterator: n
  tool:
    - a:
        kind: noop
        result: "{{ iter.n * 10 }}"
        eval:
          - else:
              do: continue
              set_iter: {mine: "{{ iter.index }}"}
              set_shared: {total: {sum: "{{ outcome.result }}"}, most: {max: "{{ iter.n }}"}}
    - b: {kind: noop, result: "{{ [iter.mine, iter.index] }}"}
  next:
    - step: end
- step: end
  tool:
    - c: {kind: noop, result: "{{ [ctx.total, ctx.most] }}"}
`),
      0,
    );
    expect(steps.start?.result).toMatchObject({
      results: [
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    });
    expect(steps.end?.result).toEqual([100, 4]);
  });

  test('eval without a match and without else: success continues, an error fails', async () => {
    const task = (code: string) =>
      older(`- step: start
  tool:
    - a:
        kind: python
        code: ${code}
        eval:
          - expr: "{{ outcome.result == 'never' }}"
            do: retry
            attempts: 2
    - b: {kind: noop, result: reached}
`);
    expect((await accountOf(task('result = 1'), 0)).steps.start?.result).toBe('reached');
    const failed = await accountOf(task('raise ValueError("no")'), 1);
    expect(failed.steps.start).toMatchObject({ status: 'failed' });
  });

  test('retry with a fixed backoff, jump and break', async () => {
    const effects = await startEffectServer();
    const { steps } = await accountOf(
      older(`- step: start
  tool:
    - get:
        kind: http
        url: "${effects.url}/flaky/a?n=2"
        eval:
          - expr: "{{ outcome.status == 'error' }}"
            do: retry
            attempts: 3
            backoff: fixed
            delay: 0.01
          - else: {do: continue}
    - count:
        kind: noop
        result: "{{ (iter.n | default(0)) + 1 }}"
        eval:
          - expr: "{{ outcome.result < 3 }}"
            do: jump
            to: count
            set_iter: {n: "{{ outcome.result }}"}
          - expr: "{{ outcome.status == 'success' }}"
            do: break
    - never: {kind: noop, result: never}
`),
      0,
    );
    expect(steps.start?.result).toBe(3);
    expect(effects.count('/flaky/a')).toBe(3);
  });

  test('step.when, next_mode and arcs with args', async () => {
    const { steps } = await accountOf(
      older(
        `- step: start
  spec: {next_mode: inclusive}
  next:
    - step: a
      args: {who: ada}
    - step: b
      when: "{{ workload.both }}"
    - step: c
- step: a
  tool:
    - t: {kind: noop, result: "{{ args.who }}"}
- step: b
  tool:
    - t: {kind: noop, result: b}
- step: c
  when: "{{ workload.open }}"
  tool:
    - t: {kind: noop, result: c}
`,
        'workload: {both: true, open: false}\n',
      ),
      0,
    );
    expect(steps.a?.result).toBe('ada');
    expect(steps.b?.status).toBe('succeeded');
    expect(steps.c?.runs ?? 0).toBe(0);
  });

  test('replay: a run that was killed continues from its events, with ctx, loop and vars', async () => {
    const effects = await startEffectServer();
    const text = older(`- step: start
  loop: {in: [1, 2, 3], iterator: n}
  tool:
    - before:
        kind: http
        url: "${effects.url}/count/before"
        eval:
          - else: {do: continue, set_vars: {seen: "{{ iter.n }}"}, set_shared: {sum: {sum: "{{ iter.n }}"}}}
    - gate: {kind: http, url: "${effects.url}/{{ 'hold/gate' if iter.n == 2 else 'count/gate' }}"}
    - after: {kind: noop, result: "{{ vars.seen }}"}
  next:
    - step: end
- step: end
  tool:
    - report: {kind: noop, result: "{{ [start.results, ctx.sum] }}"}
`);
    const cwd = temporaryFolder({ 'older.yaml': text });
    const running = startWoof(['run', 'older.yaml', '--upgrade', '--json'], { cwd });
    await until('it waits', () => effects.count('/hold/gate') === 1);
    running.child.kill('SIGKILL');
    await running.ended;
    effects.release('gate');
    const resumed = await runWoof(['resume', 'last', '--json'], { cwd });
    expect(resumed, resumed.stderr).toMatchObject({ status: 0 });
    expect(lastJson(resumed).steps.end?.result).toEqual([[1, 2, 3], 6]);
    expect(effects.count('/count/before')).toBe(3);
  });

  test('playbooks that it calls are upgraded with it', async () => {
    const parent = older(`- step: start
  tool:
    - call: {kind: playbook, path: child.yaml, return_step: start}
`);
    const child = older(`- step: start
  when: "{{ true }}"
  tool:
    - a: {kind: noop, result: from the child}
`);
    const cwd = temporaryFolder({ 'older.yaml': parent, 'child.yaml': child });
    const ran = await runWoof(['run', 'older.yaml', '--upgrade', '--quiet'], { cwd });
    expect(ran).toMatchObject({ status: 0, stdout: 'from the child\n' });
    writeFileSync(join(cwd, 'older.yaml'), parent.replace('noetl.io/v2', 'noetl.io/v10'));
    const without = await runWoof(['run', 'older.yaml'], { cwd });
    expect(without).toMatchObject({ status: 1, stderr: expect.stringContaining('nested playbook') });
  });

  const NOOP = 'tool: [{a: {kind: noop}}]';
  test.each([
    [
      'step names are not unique',
      older(`- step: start\n  when: "{{ true }}"\n  ${NOOP}\n- step: start\n  ${NOOP}\n`),
      'duplicate-name',
    ],
    ['the start step is missing', older(`- step: begin\n  when: "{{ true }}"\n  ${NOOP}\n`), 'no-entry'],
    ['next leads nowhere', older(`- step: start\n  next:\n    - step: nowhere\n`), 'unknown-step'],
    [
      'a loop has no iterator',
      older(`- step: start\n  when: "{{ true }}"\n  loop: {in: [1]}\n  ${NOOP}\n`),
      'missing-field',
    ],
    [
      'a loop has no in',
      older(`- step: start\n  when: "{{ true }}"\n  loop: {iterator: i}\n  ${NOOP}\n`),
      'missing-field',
    ],
    [
      'a kind is not known',
      older('- step: start\n  when: "{{ true }}"\n  tool: [{a: {kind: nope}}]\n'),
      'unknown-kind',
    ],
    [
      'vars stand at the root',
      older(`- step: start\n  when: "{{ true }}"\n  ${NOOP}\n`, 'vars: {a: 1}\n'),
      'root-vars',
    ],
  ])('is refused if %s', async (_, text, code) => {
    expect(await run(text)).toMatchObject({ status: 2, stderr: expect.stringContaining(`playbook/${code}`) });
  });
});

test('woof submit --upgrade sends the upgraded text', async () => {
  const cwd = temporaryFolder({ 'older.yaml': SMALL });
  const server = await startServer(cwd, { verb: 'up' });
  expect(await ask(server, cwd, 'submit', 'older.yaml')).toMatchObject({ status: 2 });
  const ran = await ask(server, cwd, 'submit', 'older.yaml', '--upgrade', '--wait', '--json');
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  expect(lastJson(ran).steps.end?.result).toBe(2);
});
