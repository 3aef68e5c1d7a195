import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJson, encodeJson, Float } from '@woof/net';
import { exactValues, NOT_FINITE } from '@woof/testkit/exact-values';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from './effect-server.ts';
import { lastJson, playbook, runWoof, startWoof, temporaryFolder, until } from './woof.ts';

const ok = playbook('- step: start\n  tool: {kind: noop, result: 42}\n');

const notebook = (header: string, cells: string) =>
  `%WOOFNB 1.0\nname: test\nlanguage: python\n${header}${cells}`;

async function run(text: string, args: string[] = [], env: Record<string, string> = {}) {
  const cwd = temporaryFolder({ 'a.yaml': text });
  return { cwd, ...(await runWoof(['run', 'a.yaml', ...args], { cwd, env })) };
}

describe('woof run', () => {
  test('success: the result on stdout, the rest on stderr, status 0', async () => {
    const { status, stdout, stderr, cwd } = await run(ok);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '42\n' });
    expect(stderr).toMatch(/✓ start/);
    expect(stderr).toMatch(/succeeded in .*, 1 of 1 steps, run \d{8}-\d{6}-\w{8}/);
    expect(existsSync(join(cwd, '.woof', 'woof.db'))).toBe(true);
  });

  test('--json: the account is the last line', async () => {
    const ran = await run(ok, ['--json']);
    expect(lastJson(ran)).toEqual({
      execution_id: expect.stringMatching(/^\d{8}-\d{6}-\w{8}$/),
      status: 'succeeded',
      steps: { start: { status: 'succeeded', runs: 1, result: 42 } },
    });
  });

  test('numbers come out as they went in: YAML, --set, a nested playbook, Python, --json', async () => {
    const values = exactValues(60);
    const cwd = temporaryFolder({
      'a.yaml': playbook(
        `- step: start
  tool: {kind: playbook, path: b.yaml, args: {values: "{{ workload.values }}", more: "{{ workload.more }}"}}
`,
        'workload: {values: [], more: [1, 1.0, 1e3, 12345678901234567890, -0.0]}\n',
      ),
      'b.yaml': playbook(
        `- step: start
  tool:
    kind: python
    args: {values: "{{ workload.values }}", more: "{{ workload.more }}"}
    code: "result = {'values': values, 'more': more, 'next': more[3] + 1}"
`,
      ),
    });
    const { stdout, stderr } = await runWoof(
      ['run', 'a.yaml', '--json', '--quiet', '--set', `values=${encodeJson(values)}`],
      { cwd },
    );
    const more = [1, new Float(1), new Float(1000), 12345678901234567890n, new Float(-0)];
    expect(decodeJson(stdout), stderr).toMatchObject({
      steps: { start: { result: { result: { values, more, next: 12345678901234567891n } } } },
    });
  });

  test('numbers that are not finite are null in data', async () => {
    const { url } = await startEffectServer();
    const text = `[${NOT_FINITE.map(([each]) => each).join(',')}]`;
    const cwd = temporaryFolder({
      'a.yaml': playbook(
        `- step: start
  tool:
    - http: {kind: http, url: "${url}/text/${encodeURIComponent(text)}"}
    - text: {kind: noop, result: "{{ workload.text | from_json }}"}
    - python: {kind: python, args: {text: "{{ workload.text }}"}, code: "import json; result = json.loads(text)"}
    - duckdb: {kind: duckdb, command: "SELECT $t::JSON AS j, 'nan'::DOUBLE AS n", params: {t: "{{ workload.text }}"}}
    - all:
        kind: noop
        result:
          values: "{{ [results.http.data, results.text, results.python, results.duckdb.rows[0].j] }}"
          row: "{{ results.duckdb.rows[0].n }}"
`,
        'workload: {text: ""}\n',
      ),
    });
    const { stdout, stderr } = await runWoof(
      ['run', 'a.yaml', '--quiet', '--set', `text=${JSON.stringify(text)}`],
      { cwd },
    );
    const data = NOT_FINITE.map(([, each]) => each);
    expect(stderr).toBe('');
    expect(decodeJson(stdout)).toEqual({ values: [data, data, data, data], row: null });
  });

  test.each<[where: string, file: string, text: string, said: RegExp]>([
    [
      'a workload',
      'a.yaml',
      playbook('- step: start\n', 'workload: {n: .inf}\n'),
      /a.yaml:\d+:\d+ .*\.inf is not a finite number/s,
    ],
    [
      'a template',
      'a.yaml',
      playbook('- step: start\n  tool: {kind: noop, result: "[{{ 1 }}e400]"}\n'),
      /too large for a float/,
    ],
    ['a parameter', 'a.woofnb', notebook('parameters: {n: -.inf}\n', ''), /-\.inf is not a finite number/],
    [
      'a data cell of JSON',
      'a.woofnb',
      notebook('', '```cell id=a type=data\n{"n": [1, NaN]}\n```\n'),
      /a.woofnb:5:11 .*NaN is not a finite number/s,
    ],
    [
      'a data cell of YAML',
      'a.woofnb',
      notebook('', '```cell id=a type=data\nn: [1, .nan]\n```\n'),
      /\.nan is not a finite number/,
    ],
  ])('a number that is not finite is refused in %s', async (_where, file, text, said) => {
    const cwd = temporaryFolder({ [file]: text });
    const { status, stderr } = await runWoof(['run', file], { cwd });
    expect(stderr).toMatch(said);
    expect(status).toBe(file === 'a.yaml' && text.includes('e400') ? 1 : 2);
  });

  test('--quiet says nothing but the result', async () => {
    expect(await run(ok, ['--quiet'])).toMatchObject({ status: 0, stdout: '42\n', stderr: '' });
  });

  test('--quiet still says why a run failed', async () => {
    const { status, stderr } = await run(
      playbook('- step: start\n  tool: {kind: noop, result: "{{ 1 / 0 }}"}\n'),
      ['--quiet'],
    );
    expect({ status, said: stderr.includes('step "start"') }).toEqual({ status: 1, said: true });
  });

  test('a run without any task ends', async () => {
    expect(lastJson(await run(playbook('- step: start\n  next: {arcs: []}\n'), ['--json'])).status).toBe(
      'succeeded',
    );
  });

  test('failure: step, task, cause, line, attempts and what to do next; status 1', async () => {
    const { url } = await startEffectServer();
    const text = playbook(
      [
        '- step: start',
        '  tool:',
        '    - fetch:',
        '        kind: http',
        '        url: "{{ workload.url }}"',
        '        spec:',
        '          policy:',
        '            rules:',
        '              - {when: "{{ outcome.status == \'error\' }}", then: {do: retry, attempts: 3, delay: 0.01}}',
        '              - else: {then: {do: continue}}',
        '',
      ].join('\n'),
      'workload: {url: ""}\n',
    );
    const ran = await run(text, ['--set', `url=${url}/flaky/x?n=99`]);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('step "start", task "fetch"');
    expect(ran.stderr).toContain('503');
    expect(ran.stderr).toMatch(/at {6}a\.yaml:\d+/);
    expect(ran.stderr).toContain('tried   3 times');
    for (const verb of ['why', 'logs', 'rerun'])
      expect(ran.stderr).toMatch(new RegExp(`woof ${verb} \\d{8}-`));
  });

  test('a run that lacks a permission names the command that grants it', async () => {
    const { stderr } = await run(playbook('- step: start\n  tool: {kind: shell, cmds: [ls]}\n'), [
      '--allow',
      'network',
    ]);
    expect(stderr).toContain('          woof run a.yaml --allow network,shell\n');
    expect(stderr).not.toContain('woof rerun');
  });

  test('a template that fails is shown with its line', async () => {
    const { status, stderr } = await run(
      playbook('- step: start\n  tool: {kind: noop, result: "{{ nothing.at.all }}"}\n'),
    );
    expect(status).toBe(1);
    expect(stderr).toContain('a.yaml:6');
    expect(stderr).toContain('nothing.at.all');
  });

  test('--json of a failed run has the error; status 1', async () => {
    const ran = await run(playbook('- step: start\n  tool: {kind: noop, result: "{{ 1 / 0 }}"}\n'), [
      '--json',
    ]);
    expect(ran.status).toBe(1);
    expect(lastJson(ran)).toMatchObject({
      status: 'failed',
      error: { step: 'start' },
      steps: { start: { status: 'failed' } },
    });
  });

  test.each([
    ['broken YAML', 'a: [1, 2\nb: }', 'a.yaml:'],
    ['an unknown kind', playbook('- step: start\n  tool: {kind: htp}\n'), 'did you mean "http"?'],
    ['no document at all', '', 'a.yaml:'],
    [
      'a condition that is none',
      playbook('- step: start\n  run_if: "{{ false }}"\n  tool: {kind: noop}\n'),
      'write spec.policy.admit.rules',
    ],
    [
      'a setting beside spec',
      playbook('- step: start\n  timeout: 5\n  tool: {kind: noop}\n'),
      'move it to `spec.timeout`',
    ],
    [
      'the older dialect',
      playbook('- step: start\n  when: "{{ true }}"\n  tool: {kind: noop}\n'),
      'playbook/',
    ],
  ])('%s: diagnostics on stderr, status 2, no run', async (_what, text, said) => {
    const { status, stdout, stderr, cwd } = await run(text);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(existsSync(join(cwd, '.woof'))).toBe(false);
  });

  test('a missing file and a folder: status 2', async () => {
    const cwd = temporaryFolder();
    const missing = await runWoof(['run', 'nowhere.yaml'], { cwd });
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no such file') });
    expect(await runWoof(['run', '.'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is a directory'),
    });
  });

  test('a misspelt name in a guard: a warning with its place, but the run continues', async () => {
    const text = playbook(
      `- step: start
  tool: {kind: noop}
  next: {arcs: [{step: start, when: "{{ workload.cuont > 5 }}"}]}
`,
      'workload: {count: 3}\n',
    );
    const ran = await run(text, ['--json']);
    expect(lastJson(ran)).toMatchObject({ status: 'succeeded' });
    expect(ran.stderr).toMatch(/a\.yaml:\d+:\d+ {2}warning {2}playbook\/unknown-name/);
    expect(ran.stderr).toContain('workload has no "cuont"; did you mean "count"?');
  });

  test('a keychain that is used is refused before the start; an unused one is not', async () => {
    const secret = 'keychain: [{name: api, kind: secret_manager}]\n';
    const used = playbook('- step: start\n  tool: {kind: noop, result: "{{ keychain.api }}"}\n', secret);
    expect(await run(used)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('woof secret set api'),
    });
    const unused = playbook('- step: start\n  tool: {kind: noop, result: 1}\n', secret);
    expect((await run(unused)).status).toBe(0);
  });

  test('--set: YAML values, dots nest', async () => {
    const text = playbook(
      '- step: start\n  tool: {kind: noop, result: "{{ workload }}"}\n',
      'workload: {a: {x: 1, y: 2}, n: 1}\n',
    );
    const sets = [
      'n=0.5',
      'a.x=true',
      'a.z=[1, two]',
      's=text',
      'q="1"',
      'none=',
      'deep.er.still=1',
      'm={k: v}',
      'u=a=b',
    ];
    const ran = await run(text, ['--json', ...sets.flatMap((set) => ['--set', set])]);
    expect(lastJson(ran).steps.start?.result).toEqual({
      a: { x: true, y: 2, z: [1, 'two'] },
      n: 0.5,
      s: 'text',
      q: '1',
      none: null,
      deep: { er: { still: 1 } },
      m: { k: 'v' },
      u: 'a=b',
    });
  });

  test.each(['novalue', '=1', 'a=[1', 'n=.inf', 'n=1e400', 'n=.nan', '__proto__.x=1'])(
    '--set %s is refused or harmless',
    async (set) => {
      const { status, stderr } = await run(ok, ['--set', set]);
      if (set.startsWith('__proto__')) expect(status).toBe(0);
      else expect({ status, said: stderr.includes(`--set ${set}`) }).toEqual({ status: 2, said: true });
    },
  );

  test('colours only when they are wanted', async () => {
    const colour = '\u001b[';
    expect((await run(ok)).stderr).not.toContain(colour);
    expect((await run(ok, [], { FORCE_COLOR: '1' })).stderr).toContain(colour);
    expect((await run(ok, [], { FORCE_COLOR: '1', NO_COLOR: '1' })).stderr).not.toContain(colour);
  });

  test('text of a document cannot control the terminal', async () => {
    const text = playbook('- step: start\n  tool: {kind: noop, result: "\\e[2J\\e]0;title\\a"}\n');
    const { stdout, stderr } = await run(text);
    expect(stdout + stderr).not.toContain('\u001b');
  });

  test('progress of loops is reported in tenths, never by iteration', async () => {
    const text = playbook(
      '- step: start\n  loop: {in: "{{ range(3000) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: 100}}\n  tool: {kind: noop, result: "{{ i }}"}\n',
    );
    const { status, stderr } = await run(text);
    expect(status).toBe(0);
    expect(stderr).toContain('3000/3000');
    expect(stderr.split('\n').length).toBeLessThan(20);
  });

  test('WOOF_DATA and --data name the data directory; else the nearest .woof upwards', async () => {
    const { cwd } = await run(ok, ['--data', 'elsewhere']);
    expect(existsSync(join(cwd, 'elsewhere', 'woof.db'))).toBe(true);
    await runWoof(['run', 'a.yaml'], { cwd, env: { WOOF_DATA: join(cwd, 'there') } });
    expect(existsSync(join(cwd, 'there', 'woof.db'))).toBe(true);
    expect(existsSync(join(cwd, '.woof'))).toBe(false);
  });
});

describe('woof run --watch', () => {
  const say = (word: string) => playbook(`- step: start\n  tool: {kind: noop, result: ${word}}\n`);

  test('runs again on save, keeps watching an invalid file, and cancels an outdated run', async () => {
    const effects = await startEffectServer();
    const held = playbook(`- step: start\n  tool: {kind: http, url: "${effects.url}/hold/gate"}\n`);
    const asks = playbook('- step: start\n  tool: {kind: gate, message: "go?"}\n');
    const cwd = temporaryFolder({ 'a.yaml': say('one') });
    const save = (text: string) => {
      writeFileSync(join(cwd, 'a.new'), text);
      renameSync(join(cwd, 'a.new'), join(cwd, 'a.yaml'));
    };
    const watching = startWoof(['run', 'a.yaml', '--watch', '--json'], { cwd });
    const accounts = () =>
      watching
        .stdout()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => lastJson({ status: 0, stderr: '', stdout: line }));
    const told = (count: number) => until(`${count} runs`, () => accounts().length === count);
    await told(1);
    save(say('two'));
    await told(2);
    save('workflow: [\n');
    await until('it shows what is wrong', () => watching.stderr().includes('has errors and cannot run'));
    save(held);
    await until('it is under way', () => effects.count('/hold/gate') === 1);
    save(asks);
    await told(4);
    save(say('three'));
    await told(5);
    expect(accounts().map(({ status, steps }) => [status, steps.start?.result])).toEqual([
      ['succeeded', 'one'],
      ['succeeded', 'two'],
      ['cancelled', undefined],
      ['needs_human', undefined],
      ['succeeded', 'three'],
    ]);
    const rows = lastJson<{ status: string }[]>(await runWoof(['runs', '--json'], { cwd }));
    expect(rows.map(({ status }) => status).join(' ')).toBe(
      'succeeded cancelled cancelled succeeded succeeded',
    );
    await until('it waits', () => watching.stderr().split('watching a.yaml').length === 6);
    watching.child.kill('SIGINT');
    expect((await watching.ended).status).toBe(0);
  });

  test('a missing file is a usage error', async () => {
    const ran = await runWoof(['run', 'none.yaml', '--watch'], { cwd: temporaryFolder() });
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no such file') });
  });
});
