/** Bundles: their contents, that they do not change, and what a process that died leaves. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, describe, expect, it } from 'vitest';
import { folderName, verifyBundle } from './bundle.ts';
import { ExecCase } from './exec-case.ts';

const block = new ExecCase();
afterAll(() => block.remove());
const TRUE = { commands: [{ program: 'true' }] };
const sh = (script: string) => ({ program: 'sh', args: ['-c', script] });

describe('a bundle', () => {
  it('has the files and fields of the specification', async () => {
    const outcome = await block.run(
      { ...TRUE, executor: { kind: 'local', note: 'x' } },
      { step: 'build', executionId: 'r1' },
    );
    const folder = block.bundle(outcome);
    expect(folder).toBe(join(block.runs, 'r1', 'build', '1'));
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'SHA256SUMS',
      'cmd-000.stderr.log',
      'cmd-000.stdout.log',
      'manifest.json',
      'meta',
      'meta/env.json',
      'meta/repo.txt',
    ]);
    expect(block.manifest(outcome)).toMatchObject({
      run_id: 'r1',
      stage_id: 'build',
      bundle_root: folder,
      executor: 'local',
      executor_options: { note: 'x' },
      slurm_job_id: null,
      extra_files: ['meta/env.json', 'meta/repo.txt'],
      started_at_ms: expect.any(Number),
      finished_at_ms: expect.any(Number),
      status: 'succeeded',
      error: null,
      override: null,
      policy: { decision: 'allow', warnings: [], violations: [] },
    });
    expect(Object.keys(block.manifest(outcome).commands[0]!)).toEqual(
      expect.arrayContaining(
        'index program args cwd started_at_ms finished_at_ms exit_code status stdout_path stderr_path error'.split(
          ' ',
        ),
      ),
    );
    const env = JSON.parse(block.read(outcome, 'meta/env.json'));
    expect(env).toMatchObject({
      agent_id: 'w1',
      run_id: 'r1',
      stage_id: 'build',
      workdir: block.workdir,
      executor: 'local',
    });
  });

  it('records the state of version control', async () => {
    const { execFileSync } = await import('node:child_process');
    const folder = join(block.workdir, 'repo');
    mkdirSync(folder);
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    writeFileSync(join(folder, 'new.txt'), '');
    const outcome = await block.run({ ...TRUE, workdir: 'repo' });
    expect(block.read(outcome, 'meta/repo.txt')).toBe(
      `# git rev-parse HEAD\n${git('rev-parse', 'HEAD')}\n# git status --porcelain\n?? new.txt\n`,
    );
  });

  it('is read-only, and each try has its own', async () => {
    const first = await block.run(TRUE, { executionId: 'r2' });
    const second = await block.run(TRUE, { executionId: 'r2', attempt: 2 });
    expect([block.bundle(first), block.bundle(second)].map((path) => path.slice(-1))).toEqual(['1', '2']);
    expect(statSync(block.bundle(first)).mode & 0o777).toBe(0o555);
    expect(statSync(join(block.bundle(first), 'meta')).mode & 0o777).toBe(0o555);
    expect(statSync(join(block.bundle(first), 'manifest.json')).mode & 0o777).toBe(0o444);
  });
});

it.each([
  ['build', 'build'],
  ['test[os=linux]', 'test[os=linux]'],
  ['..', '%2E%2E'],
  ['.x', '%2Ex'],
  ['a/b', 'a%2Fb'],
  ['ü', '%C3%BC'],
])('names the folder of %s', (id, name) => {
  expect(folderName(id)).toBe(name);
});

it('gives long and empty ids distinct folder names', () => {
  const names = ['', 'x'.repeat(1000), `${'x'.repeat(1000)}y`].map(folderName);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name.length).toBeGreaterThan(0);
  for (const name of names) expect(name.length).toBeLessThan(256);
});

describe('a process that died', () => {
  const marks = join(block.workdir, 'marks');
  const commands = [sh('echo 0 >> marks'), sh('echo 1 >> marks'), sh('echo 2 >> marks')];
  const ran = () => readFileSync(marks, 'utf8').replaceAll('\n', '');

  /** The state after a kill -9 following the second command: an open attempt whose process is gone. */
  async function interrupted(input: JsonObject, executionId: string): Promise<void> {
    const controller = new AbortController();
    rmSync(marks, { force: true });
    const outcome = (await block.run(input, { executionId }, { signal: controller.signal })) as Outcome;
    const bundle = block.bundle(outcome);
    const manifest = block.manifest(outcome);
    for (const path of [dirname(bundle), bundle, join(bundle, 'meta')]) chmodSync(path, 0o755);
    const open = `${bundle}.partial`;
    (await import('node:fs')).renameSync(bundle, open);
    const intent = {
      attempt: 1,
      fence: 1,
      block_sha256: manifest.block_sha256,
      started_at_ms: 1,
      host: hostname(),
      pid: 2 ** 22 + 1,
      began: '1',
    };
    writeFileSync(join(open, 'attempt.json'), JSON.stringify(intent));
    const lines = manifest.commands.slice(0, 2).map((result) => JSON.stringify(result));
    writeFileSync(join(open, 'results.jsonl'), `${lines.join('\n')}\n{"index": 2, "half`);
    for (const name of ['manifest.json', 'SHA256SUMS', 'cmd-002.stdout.log']) unlinkSync(join(open, name));
  }

  it('leaves evidence, and the block starts over', async () => {
    const input = { allow_shell: true, commands };
    await interrupted(input, 'r3');
    const outcome = await block.run(input, { executionId: 'r3', fence: 2, lost: 1 });
    expect(ran()).toBe('012012');
    expect(block.bundle(outcome)).toMatch(/2$/);
    const first = join(block.runs, 'r3', 's1', '1');
    expect(await verifyBundle(first)).toEqual([]);
    expect(JSON.parse(readFileSync(join(first, 'manifest.json'), 'utf8'))).toMatchObject({
      status: 'failed',
      interrupted: true,
      commands: [{ index: 0 }, { index: 1 }],
    });
  });

  it.each([{ resumable: true }, { restart: 'command' }])(
    'is continued by a block with %j',
    async (option) => {
      const input = { allow_shell: true, commands, ...option };
      const id = `r4-${Object.keys(option)[0]}`;
      await interrupted(input, id);
      const outcome = await block.run(input, { executionId: id, fence: 2, lost: 1 });
      expect(ran()).toBe('0122');
      expect(block.manifest(outcome).commands).toMatchObject([
        { attempt: 1 },
        { attempt: 1 },
        { index: 2, status: 'succeeded' },
      ]);
      expect(block.manifest(outcome).commands[2]).not.toHaveProperty('attempt');
      expect(await verifyBundle(block.bundle(outcome))).toEqual([]);
    },
  );

  it('does not help another try, or another block', async () => {
    const input = { allow_shell: true, commands, resumable: true };
    await interrupted(input, 'r5');
    await block.run(input, { executionId: 'r5', attempt: 2 });
    expect(ran()).toBe('012012');
    await interrupted(input, 'r6');
    await block.run({ ...input, env: { A: 'b' } }, { executionId: 'r6' });
    expect(ran()).toBe('012012');
  });

  it('counts even if the worker stopped in an orderly way', async () => {
    const input = {
      allow_shell: true,
      resumable: true,
      commands: [sh('echo a >> marks'), sh('test -e go || { echo wait; sleep 1000; }; echo b >> marks')],
    };
    rmSync(marks, { force: true });
    const controller = new AbortController();
    const log = () => controller.abort('the worker stops');
    await block.run(input, { executionId: 'r7' }, { signal: controller.signal, log });
    writeFileSync(join(block.workdir, 'go'), '');
    expect(await block.run(input, { executionId: 'r7', fence: 2 })).toMatchObject({ status: 'ok' });
    expect(ran()).toBe('ab');
  });
});
