/** Uses a fake docker that records its arguments and runs the program directly. `e2e/` tests the real podman. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { createContainerTool } from './container-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'woof-container-'));
const SHELL = { io_policy: { allow_shell: true } };

const DOCKER = `#!/usr/bin/env bash
notes=${folder}/notes
case $1 in
  info) exit 0 ;;
  kill) kill -KILL "$(cat $notes/$2)" ;;
  run)
    printf '%s\\n' "$@" > $notes/arguments
    tr '\\0' '\\n' < /proc/$$/environ > $notes/own-environment
    while [ $# -gt 0 ]; do
      case $1 in
        --name) echo $$ > $notes/$2 ;;
        --env-file) cp "$2" $notes/environment; set -a; . "$2"; set +a ;;
        --entrypoint) program=$2; image=$3; shift 3; exec "$program" "$@" ;;
        absent) echo 'Error: no such image: not found' >&2; exit 125 ;;
      esac
      shift
    done ;;
esac`;

describe('container', () => {
  const { PATH } = process.env;
  beforeAll(() => {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'bin', 'docker'), DOCKER);
    chmodSync(join(folder, 'bin', 'docker'), 0o755);
    process.env.PATH = `${join(folder, 'bin')}:${PATH}`;
  });
  afterAll(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true, force: true });
  });
  const noted = (name: string) => readFileSync(join(folder, 'notes', name), 'utf8');
  const tool = createContainerTool();
  const run = (input: JsonObject, spec: JsonObject = SHELL) =>
    tool.run(
      toolCall({ input: { image: 'some/image:1', ...input }, spec }),
      toolContext(),
    ) as Promise<Outcome>;

  exerciseTool('container', {
    make: createContainerTool,
    good: [{ input: { image: 'i', command: ['true'] }, spec: SHELL }],
    bad: [
      [{ input: {}, spec: SHELL }, /"image" must be the name of an image/],
      [{ input: { image: '--privileged' }, spec: SHELL }, /"image" must be/],
      [{ input: { image: 'i', args: [{}] }, spec: SHELL }, /"args" must be/],
      [{ input: { image: 'i', env: { 'a-b': '1' } }, spec: SHELL }, /each name in "env" must consist of/],
      [{ input: { image: 'i', env: { A: '1\n2' } }, spec: SHELL }, /each name in "env" must consist of/],
      [{ input: { image: 'i', resources: { cpus: 'many' } }, spec: SHELL }, /"cpus" must be a number/],
      [{ input: { image: 'i', pull: 'always' }, spec: SHELL }, /"pull" must be one of/],
    ],
    secret: [{ input: { image: 'i', command: ['false'], env: { TOKEN: CANARY } }, spec: SHELL }],
    forbidden: [[{ input: { image: 'i' } }, 'allow_shell']],
    slow: { input: { image: 'i', command: ['sleep', '60'] }, spec: SHELL },
  });

  it('returns the exit code and the output of the program', async () => {
    expect(await run({ command: ['sh', '-c', 'echo out; echo err >&2'] })).toMatchObject({
      status: 'ok',
      result: { status: 'succeeded', returncode: 0, stdout: 'out\n', stderr: 'err\n', image: 'some/image:1' },
    });
    expect(await run({ command: 'sh', args: ['-c', 'echo no >&2; exit 3'] })).toMatchObject({
      status: 'error',
      error: { kind: 'exception', code: 3, retryable: false, message: expect.stringContaining('no') },
      result: { status: 'failed', returncode: 3 },
    });
    expect((await run({ image: 'absent' })).error).toMatchObject({ kind: 'not_found', retryable: false });
    expect((await run({ command: 'sleep', args: [60], timeout_seconds: 0.3 })).error).toMatchObject({
      kind: 'timeout',
    });
  });

  it('passes variables in a file, and shows none on a command line or to the engine', async () => {
    const outcome = await run({
      command: ['sh', '-c', 'echo $TOKEN $PATH'],
      env: { TOKEN: CANARY, PATH: '/bin' },
    });
    expect(outcome.result).toMatchObject({ stdout: `${CANARY} /bin\n` });
    expect(noted('arguments')).not.toContain(CANARY);
    expect(noted('own-environment')).not.toContain(CANARY);
    expect(noted('environment')).toContain(CANARY);
  });

  it('lets the container do what the policy allows, and limits it', async () => {
    await run({ command: 'true', resources: { memory_mb: 100, cpus: 0.5, pids: 7 }, pull: 'never' });
    const args = noted('arguments');
    for (const part of ['--network\nnone', '--read-only', '--cap-drop\nALL', '--memory\n100m', '--cpus\n0.5'])
      expect(args).toContain(part);
    expect(args).toContain('--pids-limit\n7');
    expect(args).toContain('--pull\nnever');
    await run({ command: 'true' }, { io_policy: { allow_shell: true, allow_network: true } });
    expect(noted('arguments')).not.toContain('--network');
  });

  it('runs nothing without the permission', async () => {
    expect((await run({ command: 'true' }, {})).error).toMatchObject({
      kind: 'policy',
      message: expect.stringContaining('allow_shell'),
    });
  });
});
