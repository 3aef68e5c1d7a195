import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, describe, expect, it } from 'vitest';
import { exerciseTool } from '../exercise-tool.ts';
import type { Parked } from '../tool.ts';
import { ExecCase } from './exec-case.ts';
import { createExecTool } from './exec-tool.ts';
import { Redactor } from './redactor.ts';

const block = new ExecCase();
afterAll(() => block.remove());
const sh = (script: string, more: JsonObject = {}) => ({ program: 'sh', args: ['-c', script], ...more });
const workdir = block.workdir;

/** A dead process that has not been reaped yet does not count as running. */
function runs(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return !/\) [ZX]/.test(stat);
}

exerciseTool('exec', {
  make: () => createExecTool({ runs: block.runs }),
  good: [
    { input: { commands: [{ program: 'true' }] }, workdir },
    { input: { commands: [{ program: 'bash' }] }, workdir },
  ],
  bad: [
    [{ input: {} }, /"commands" must be a list of commands, got nothing/],
    [{ input: { commands: [] } }, /"commands" must be a list of commands/],
    [{ input: { commands: ['true'] } }, /"commands\[0\]" must be a command/],
    [{ input: { commands: [{ program: 'true' }, {}] } }, /commands\[1\]: "program" must be/],
    [{ input: { commands: [{ program: 'true', args: [['x']] }] } }, /"args\[0\]" must be text/],
    [{ input: { commands: [{ program: 'a\0b' }] } }, /NUL bytes/],
    [
      { input: { commands: [{ program: 'true' }], executor: { kind: 'moon' } } },
      /"executor.kind" must be one of/,
    ],
    [{ input: { commands: [{ program: 'true' }], outputs: ['/etc/*'] } }, /"outputs" has.*relative/],
    [{ input: { commands: [{ program: 'true' }], outputs: ['../x'] } }, /"outputs" has.*under workdir/],
    [
      { input: { commands: [{ program: 'true' }], restart: 'never' } },
      /"restart" must be one of stage, command/,
    ],
    [
      { input: { commands: [{ program: 'true' }], workdir: 'no/where' }, workdir },
      /"workdir" must be a directory that exists/,
    ],
    [{ input: { commands: [{ program: 'true' }], workdir: '/etc/passwd' } }, /is a file/],
  ],
  timedElsewhere: true,
  slow: { input: { commands: [{ program: 'sleep', args: ['1000'] }] }, workdir: tmpdir() },
});

describe('commands', () => {
  it('run without a shell, in order, each with its own files', async () => {
    const outcome = await block.run({
      commands: [
        { program: 'printf', args: ['%s', '$HOME; `x` {{ y }}'] },
        { program: 'ls', args: ['no-such-file'], allow_failure: true },
      ],
    });
    expect(outcome).toMatchObject({ status: 'ok', result: { status: 'succeeded', outputs: [] } });
    expect(block.read(outcome, 'cmd-000.stdout.log')).toBe('$HOME; `x` {{ y }}');
    expect(block.read(outcome, 'cmd-001.stderr.log')).toMatch(/no-such-file/);
    expect(block.manifest(outcome).commands).toMatchObject([
      { index: 0, status: 'succeeded', exit_code: 0, stdout_path: 'cmd-000.stdout.log', error: null },
      { index: 1, status: 'failed', exit_code: 2, stderr_path: 'cmd-001.stderr.log', allow_failure: true },
    ]);
  });

  it('stop at the first failure, and the message quotes the program', async () => {
    const commands = [sh('echo broken >&2; exit 3'), sh('touch after')];
    const outcome = await block.run({ allow_shell: true, commands });
    expect(outcome).toMatchObject({
      status: 'error',
      error: {
        kind: 'exception',
        code: 3,
        retryable: true,
        message: 'exec: commands[0] sh: exit code 3: broken',
      },
      result: {
        status: 'failed',
        commands: [{ status: 'failed' }, { status: 'skipped', stdout_path: null }],
      },
    });
    expect(existsSync(join(workdir, 'after'))).toBe(false);
  });

  it('all run with halt_on_error: false; one that may not fail still fails the stage', async () => {
    const commands = [sh('exit 1', { allow_failure: true }), sh('exit 2'), sh('touch all-ran')];
    const outcome = await block.run({ allow_shell: true, halt_on_error: false, commands });
    expect(outcome).toMatchObject({ status: 'error', error: { code: 2 } });
    expect(existsSync(join(workdir, 'all-ran'))).toBe(true);
    const fine = await block.run({ allow_shell: true, halt_on_error: false, commands: commands.slice(0, 1) });
    expect(fine).toMatchObject({ status: 'ok' });
  });

  it('say which program is missing, and where it was searched', async () => {
    const outcome = (await block.run({ commands: [{ program: 'no-such-program-x' }] })) as Outcome;
    expect(outcome.error?.message).toMatch(/no program "no-such-program-x" in PATH \(.*\/bin/);
    expect(block.manifest(outcome).commands[0]).toMatchObject({ status: 'failed', exit_code: null });
    const folder = await block.run({ commands: [{ program: './work' }] });
    expect((folder as Outcome).error?.message).toMatch(/no program at/);
  });

  it('start in cwd, and neither a path nor a link leads out of the working directory', async () => {
    mkdirSync(join(workdir, 'sub'), { recursive: true });
    const good = await block.run({ commands: [{ program: 'pwd', cwd: 'sub' }] });
    expect(block.read(good, 'cmd-000.stdout.log')).toBe(`${workdir}/sub\n`);
    symlinkSync('/', join(workdir, 'out'));
    const astray = (await block.run({ commands: [{ program: 'pwd', cwd: 'out' }] })) as Outcome;
    expect(astray.error?.message).toMatch(/"cwd" must stay under workdir, got "out", which leads to \//);
    const touched = (await block.run({
      commands: [
        { program: 'touch', args: ['first'] },
        { program: 'pwd', cwd: 'out' },
      ],
    })) as Outcome;
    expect(touched.error?.message).toMatch(/"cwd" must stay under workdir, got "out"/);
    expect(existsSync(join(block.workdir, 'first'))).toBe(false);
    expect(block.manifest(touched)).toMatchObject({ status: 'failed', commands: [] });
    symlinkSync('made/inner', join(block.workdir, 'link'));
    const made = await block.run({
      commands: [
        { program: 'mkdir', args: ['-p', 'made/inner'] },
        { program: 'pwd', cwd: 'link' },
      ],
    });
    expect(made).toMatchObject({ status: 'ok' });
    symlinkSync('/nonexistent/place', join(block.workdir, 'far'));
    const far = (await block.run({
      commands: [
        { program: 'touch', args: ['first'] },
        { program: 'pwd', cwd: 'far' },
      ],
    })) as Outcome;
    expect(far.error?.message).toMatch(/"cwd" must stay under workdir, got "far"/);
    expect(existsSync(join(block.workdir, 'first'))).toBe(false);
    const none = (await block.run({ commands: [{ program: 'pwd', cwd: 'nowhere' }] })) as Outcome;
    expect(none.error?.message).toMatch(/"cwd" must be a directory that exists, got "nowhere"/);
  });

  it('are judged again at each start: a link that an earlier command made does not help', async () => {
    const commands = [sh('ln -s / later'), { program: 'pwd', cwd: 'later' }];
    const outcome = await block.run(
      { allow_shell: true, commands },
      {
        resumed: { memo: null, answer: { approved: true, override: true, at: 0 } },
      },
    );
    expect((outcome as Outcome).error?.message).toMatch(/commands\[1\] pwd: "cwd" must stay under workdir/);
  });

  it('have the environment of block and command, and little of the worker’s', async () => {
    process.env.WOOF_TEST_LEAK = 'leaked';
    const outcome = await block.run({
      env: { A: '1', B: 'block' },
      commands: [{ program: 'env', env: { B: 'own' } }],
    });
    delete process.env.WOOF_TEST_LEAK;
    const env = block.read(outcome, 'cmd-000.stdout.log');
    expect(env).toMatch(/^A=1$/m);
    expect(env).toMatch(/^B=own$/m);
    expect(env).toMatch(/^WOOF_RUN_ID=x1$/m);
    expect(env).not.toMatch(/LEAK|VITEST|NODE_/);
  });

  it('are killed at their timeout with everything that they started', async () => {
    const commands = [
      sh('echo $$; (setsid sleep 1000 & echo $! > pid); sleep 1000', { timeout_sec: 0.4 }),
      sh('true'),
    ];
    const outcome = await block.run({ allow_shell: true, commands });
    expect(outcome).toMatchObject({
      status: 'error',
      error: {
        kind: 'timeout',
        code: 'timed_out',
        message: expect.stringMatching(/sh: killed after its timeout of 0.4 s/),
      },
      result: { commands: [{ status: 'timed_out', exit_code: null }, { status: 'skipped' }] },
    });
    const pid = Number(readFileSync(join(workdir, 'pid'), 'utf8'));
    expect(runs(pid)).toBe(false);
  });

  it('show their output while they run', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const log = (_stream: string, text: string) => {
      seen.push(text);
      controller.abort(new Error('seen'));
    };
    await block.run(
      { commands: [sh('echo early; sleep 1000')], allow_shell: true },
      {},
      { signal: controller.signal, log },
    );
    expect(seen.join('')).toBe('early\n');
  });

  it('keep bytes that are not text unchanged', async () => {
    const outcome = await block.command('printf', ['\\377\\376\\000x']);
    expect(readFileSync(join(block.bundle(outcome), 'cmd-000.stdout.log'))).toEqual(
      Buffer.from([255, 254, 0, 120]),
    );
    expect(outcome.status).toBe('ok');
  });
});

describe('secrets', () => {
  it('do not reach the bundle, the result or the log, however the output is split', async () => {
    const env = { API_TOKEN: 'tiger-lily-7' };
    const script = 'printf tiger-; sleep 0.2; printf "lily-7 tiger-lily-8"; exit 1';
    const outcome = await block.run({
      allow_shell: true,
      env,
      commands: [sh(script), { program: 'echo', args: ['tiger-lily-7'] }],
    });
    expect(block.read(outcome, 'cmd-000.stdout.log')).toBe('[redacted] tiger-lily-8');
    expect(JSON.stringify(outcome)).not.toContain('tiger-lily-7');
    expect(block.read(outcome, 'manifest.json')).not.toContain('tiger-lily-7');
    expect(block.logged.join('')).not.toContain('tiger-lily-7');
  });
});

it('do not appear in what a crash would leave', async () => {
  const controller = new AbortController();
  let left = '';
  const log = () => {
    const folder = join(block.runs, 'crash', 's1', '1.partial');
    left = ['results.jsonl', 'attempt.json', 'meta/env.json']
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join();
    controller.abort(new Error('seen'));
  };
  const commands = [{ program: 'test', args: ['tiger-lily-9', '!=', 'x'] }, sh('echo up; sleep 1000')];
  const input = { allow_shell: true, env: { MY_TOKEN: 'tiger-lily-9' }, commands };
  await block.run(input, { executionId: 'crash' }, { signal: controller.signal, log });
  expect(left).toContain('[redacted]');
  expect(left).not.toContain('tiger-lily-9');
});

describe('names of secrets', () => {
  it.each([
    ['GITHUB_TOKEN', true],
    ['PGPASSWORD', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['API_KEY', true],
    ['APIKEY', true],
    ['KEY', true],
    ['MONKEY', false],
    ['SIGNING_PUBLIC_KEY', false],
    ['TOKEN_COUNT', false],
  ])('%s: %s', (name, secret) => {
    const said = new Redactor([{ [name]: 'the-value' }]).text('a the-value b');
    expect(said).toBe(secret ? 'a [redacted] b' : 'a the-value b');
  });
});

describe('the policy', () => {
  const commands = [sh('true')];
  const asked = (answer: JsonObject) =>
    block.run({ commands }, { resumed: { memo: null, answer: { at: 0, ...answer } } });

  it('parks for approval if it blocks, with its reasons', async () => {
    const parked = await block.run({ commands });
    expect(parked).toMatchObject({
      status: 'parked',
      human: { violations: [expect.stringMatching(/commands\[0\] sh: "sh" is a shell/)] },
    });
  });

  it('lets it run with an override, which the manifest records', async () => {
    const outcome = await asked({ approved: true, override: true, by: 'ada', note: 'fine' });
    expect(block.manifest(outcome)).toMatchObject({
      status: 'succeeded',
      policy: { decision: 'block' },
      override: { by: 'ada', note: 'fine', at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('asks again about anything that the person did not see when they approved', async () => {
    const parked = (await block.run({ commands })) as Parked;
    const override = { approved: true, override: true, violations: parked.human!.violations! };
    expect(await asked(override)).toMatchObject({ status: 'ok' });
    expect(await asked({ ...override, violations: ['something else'] })).toMatchObject({
      status: 'parked',
      human: { reason: expect.stringContaining('the policy of the worker blocks it too') },
    });
  });

  it('stays blocked without an override, and says how to give one', async () => {
    expect(await asked({ approved: true, by: 'ada' })).toMatchObject({
      status: 'parked',
      human: { reason: expect.stringMatching(/woof approve x1 s1 --override/) },
    });
  });

  it('fails if the person rejects it', async () => {
    expect(await asked({ approved: false, by: 'ada', note: 'never' })).toMatchObject({
      status: 'error',
      error: {
        kind: 'policy',
        code: 'rejected',
        retryable: false,
        message: expect.stringMatching(/ada rejected it \(never\)/),
      },
    });
  });

  it('warns and runs', async () => {
    writeFileSync(join(workdir, 'old'), '');
    const outcome = await block.run({ commands: [{ program: 'rm', args: ['old'] }] });
    expect(block.manifest(outcome)).toMatchObject({ status: 'succeeded', policy: { decision: 'warn' } });
    expect(block.logged.join('')).toMatch(/policy: commands\[0\] rm/);
  });
});

it('gives up if the worker was lost too often', async () => {
  const input = { max_attempts: 2, commands: [{ program: 'true' }] };
  expect(await block.run(input, { lost: 1 })).toMatchObject({ status: 'ok' });
  expect(await block.run(input, { lost: 2 })).toMatchObject({
    status: 'error',
    error: {
      code: 'lost',
      message: expect.stringMatching(/gave up after 2 of 2 attempts, 2 of which were lost with their worker/),
    },
  });
  expect(await block.run({ commands: input.commands }, { lost: 2 })).toMatchObject({ status: 'ok' });
});
