import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { CodeCase, FILES, SHELL, SHELL_AND_FILES, whyNot } from '../code-case.ts';
import { exerciseTool } from '../exercise-tool.ts';
import { createShellTool } from './shell-tool.ts';

const reason = await whyNot();

describeUnless(reason)('shell', () => {
  const shell = new CodeCase(createShellTool());
  const { workdir } = shell;
  afterAll(() => shell.remove());

  exerciseTool('shell', {
    make: createShellTool,
    good: [
      { input: { cmds: 'true' }, spec: SHELL },
      { input: { command: ['true', 'echo x'] }, spec: SHELL },
    ],
    bad: [
      [{ input: {}, spec: SHELL }, /"command" must be a command or a list of commands, got nothing/],
      [{ input: { cmds: [] }, spec: SHELL }, /"cmds"/],
      [{ input: { cmds: ['true', 5] }, spec: SHELL }, /"cmds\[1\]" must be a command, got 5/],
      [{ input: { cmds: 'true', env: { A: ['x'] } }, spec: SHELL }, /"env.A" must be text/],
      [{ input: { cmds: 'true', env: { 'A=B': 'x' } }, spec: SHELL }, /"env" must have names without "="/],
      [{ input: { cmds: 'true', cwd: '/etc' }, spec: SHELL }, /"cwd" must be under the document/],
      [{ input: { cmds: 'true', cwd: 'nowhere' }, spec: SHELL }, /"cwd" must be a directory that exists/],
      [{ input: { cmds: 'true', timeout_seconds: 'x' }, spec: SHELL }, /"timeout_seconds"/],
      [
        { input: { cmds: 'true' }, spec: { io_policy: { allow_shell: 'yes' } } },
        /"allow_shell" must be true or false/,
      ],
    ],
    forbidden: [
      [{ input: { cmds: 'true' } }, 'allow_shell'],
      [
        {
          input: { cmds: 'true', cwd: 'src' },
          spec: SHELL,
          workdir: import.meta.dirname.replace(/\/src\/.*/, ''),
        },
        'allow_files',
      ],
    ],
    slow: { input: { cmds: 'sleep 1000' }, spec: SHELL },
  });

  it('returns exit code and output, and logs them as they arrive', async () => {
    const outcome = await shell.run({ cmds: 'echo out; echo err >&2' }, SHELL);
    expect(outcome).toEqual({ status: 'ok', result: { returncode: 0, stdout: 'out\n', stderr: 'err\n' } });
    expect(shell.logged).toEqual(expect.arrayContaining(['stdout: out\n', 'stderr: err\n']));
  });

  it.each([
    ['exit 3', 3, /exit code 3/],
    ['echo "it broke" >&2; false', 1, /exit code 1: it broke/],
    ['no-such-program', 127, /the command does not exist/],
    ['kill -9 $$', 137, /exit code 137/],
  ])('fails with the result of %s', async (cmds, returncode, message) => {
    const outcome = await shell.run({ cmds }, SHELL);
    expect(outcome).toMatchObject({ status: 'error', error: { kind: 'exception' }, result: { returncode } });
    expect(outcome.error?.message).toMatch(message);
  });

  it('stops a list at its first failure', async () => {
    const outcome = await shell.run({ cmds: ['echo one', 'false', 'echo two'] }, SHELL);
    expect(outcome.result).toMatchObject({ returncode: 1, stdout: 'one\n' });
  });

  it('needs permission, from the document or from the user', async () => {
    const outcome = await shell.run({ cmds: 'true' }, FILES);
    expect(outcome.error).toMatchObject({
      kind: 'policy',
      message: expect.stringMatching(/allow_shell: true.*--allow shell/),
    });
    const granted = { allow_files: false, allow_network: false, allow_shell: true };
    expect(await shell.run({ cmds: 'true' }, {}, { granted })).toMatchObject({ status: 'ok' });
  });

  it('sees the document’s folder only with files, and never .woof', async () => {
    const cmds = 'cat data.txt; cat .woof/secret ../secret; echo x > new.txt';
    expect((await shell.run({ cmds }, SHELL)).result).toMatchObject({ stdout: '' });
    expect((await shell.run({ cmds }, SHELL_AND_FILES)).result).toMatchObject({ stdout: 'the data' });
    expect(readFileSync(join(workdir, 'new.txt'), 'utf8')).toBe('x\n');
  });

  it('starts in cwd, and no link leads out of the folder', async () => {
    expect((await shell.run({ cmds: 'pwd', cwd: 'sub' }, SHELL_AND_FILES)).result).toMatchObject({
      stdout: `${workdir}/sub\n`,
    });
    expect((await shell.run({ cmds: 'pwd', cwd: 'sub' }, SHELL)).error?.message).toMatch(/allow_files/);
    symlinkSync('/', join(workdir, 'out'));
    expect((await shell.run({ cmds: 'pwd', cwd: 'out' }, SHELL_AND_FILES)).error?.kind).toBe('schema');
  });

  it('has only the environment that the document gives', async () => {
    const input = { cmds: 'env | sort', env: { A: '1', B: 'own' } };
    const outcome = await shell.run(input, { ...SHELL, env: { B: 'spec', C: 3 } });
    const names = (outcome.result as { stdout: string }).stdout;
    expect(names).toMatch(/^A=1$\n^B=own$\n^C=3$/m);
    expect(names).not.toMatch(/WOOF|VITEST|NODE/);
  });

  it('passes arguments, except those that change how the shell or the loader works', async () => {
    const reserved = {
      LD_PRELOAD: '/x.so',
      LD_AUDIT: 'x',
      BASH_ENV: 'x',
      ENV: 'x',
      IFS: 'o',
      PS4: 'x',
      LC_ALL: 'x',
    };
    const stepArgs = () => ({ city: 'Oslo', ...reserved, SHELLOPTS: 'xtrace', PATH: '/x' });
    const outcome = await shell.run({ cmds: 'env' }, SHELL, {}, { stepArgs });
    const names = (outcome.result as { stdout: string }).stdout.matchAll(/^\w+(?==)/gm);
    const given = [...names].map(([name]) => name).filter((name) => name in { ...stepArgs() });
    expect(given.sort()).toEqual(['PATH', 'city']);
    expect(outcome.result).toMatchObject({ stdout: expect.stringContaining('city=Oslo\n'), stderr: '' });
    expect((outcome.result as { stdout: string }).stdout).not.toContain('PATH=/x');
  });

  it('shows its commands to nobody else', async () => {
    const outcome = await shell.run({ cmds: 'cat /proc/1/cmdline /proc/$$/cmdline # s3cret' }, SHELL);
    expect(JSON.stringify(outcome.result)).not.toContain('s3cret');
  });

  it('is killed at its timeout, with its children, and keeps its output', async () => {
    const outcome = await shell.run(
      { cmds: 'echo started; sleep 1000 & sleep 1000', timeout_seconds: 0.3 },
      SHELL,
    );
    expect(outcome).toMatchObject({ error: { kind: 'timeout' }, result: { stdout: 'started\n' } });
  });

  it('ends with its last command even if a child continues', async () => {
    expect(await shell.run({ cmds: 'sleep 1000 & echo done' }, SHELL)).toMatchObject({
      result: { stdout: 'done\n' },
    });
  });

  it('keeps 10 MiB of a flood', async () => {
    const outcome = await shell.run({ cmds: 'head -c 30000000 /dev/zero | tr "\\0" x' }, SHELL);
    const { stdout } = outcome.result as { stdout: string };
    expect(stdout.length).toBeLessThan(11 * 1024 * 1024);
    expect(stdout).toMatch(/19514240 more bytes of output were dropped/);
  });

  it('runs without the sandbox if told to, and still needs permission', async () => {
    const off = { sandbox: false };
    expect(await shell.run({ cmds: 'true' }, {}, off)).toMatchObject({ error: { kind: 'policy' } });
    const outcome = await shell.run({ cmds: 'sleep 1000 & echo here > bare.txt' }, SHELL, off);
    expect(outcome.status).toBe('ok');
    expect(existsSync(join(workdir, 'bare.txt'))).toBe(true);
  });
});
