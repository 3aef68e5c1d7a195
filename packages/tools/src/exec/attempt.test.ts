/** Which folder a lease works in, if several leases of one try share a disk. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Attempt } from './attempt.ts';
import { skipped } from './exec-runner.ts';
import { removeBundles } from './remove-bundles.ts';

const intent = (fence: number, attempt = 1) => {
  return { attempt, fence, block_sha256: 'x', started_at_ms: 1, workdir: '/w' };
};

function place() {
  const runs = mkdtempSync(join(tmpdir(), 'woof-attempt-'));
  onTestFinished(() => removeBundles(runs));
  const at = { runs, executionId: 'r', stage: 's' };
  return async (fence: number, { adopt = true, attempt = 1, resume = false } = {}) => {
    const opened = await Attempt.open(at, { intent: intent(fence, attempt), adopt, resume });
    onTestFinished(() => opened.leave());
    return opened;
  };
}

/** As a worker on another machine leaves it: nobody here can tell whether it is alive. */
function elsewhere(attempt: Attempt): void {
  const file = join(attempt.folder, 'attempt.json');
  const mark = { ...JSON.parse(readFileSync(file, 'utf8')), host: 'elsewhere' };
  writeFileSync(file, JSON.stringify(mark));
}

it('continues in the folder of an earlier lease, on whatever machine its worker is', async () => {
  const open = place();
  const first = await open(1);
  elsewhere(first);
  expect((await open(2)).folder).toBe(first.folder);
});

it('starts over for another try, if nothing is still running, and under an older fence', async () => {
  const open = place();
  const first = await open(2);
  elsewhere(first);
  const others = [await open(3, { attempt: 2 }), await open(3, { adopt: false }), await open(1)];
  expect(others.map(({ number }) => number)).toEqual([2, 3, 4]);
  expect(existsSync(first.folder)).toBe(true);
});

it('discards nothing that a later lease continues with', async () => {
  const open = place();
  const first = await open(1);
  const second = await open(2);
  await first.discard();
  expect(existsSync(second.folder)).toBe(true);
  await second.discard();
  expect(existsSync(second.folder)).toBe(false);
});

const command = { program: 'true', args: [], cwd: '.', env: {}, allow_failure: false };
const ended = (index: number) => ({
  ...skipped(command, index, 1, ''),
  status: 'succeeded' as const,
  error: null,
});
const resumed = { adopt: false, resume: true };

it('takes over results of a try that was sealed but not reported', async () => {
  const open = place();
  const first = await open(1, resumed);
  for (const index of [0, 1]) await first.record(ended(index));
  await first.seal({ attempt: 1, block_sha256: 'x', commands: first.results as never });
  expect((await open(2, resumed)).results).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
  expect((await open(3, { ...resumed, attempt: 2 })).results).toEqual([]);
});

it('renames an attempt that was sealed except for its name, and takes over its results', async () => {
  const open = place();
  const first = await open(1, resumed);
  await first.record(ended(0));
  await first.seal({ attempt: 1, block_sha256: 'x', commands: first.results as never });
  chmodSync(first.bundle, 0o755);
  renameSync(first.bundle, first.folder);
  const second = await open(2, resumed);
  expect(second.results).toMatchObject([{ attempt: 1 }]);
  expect(readdirSync(dirname(second.folder)).sort()).toEqual(['1', '2.partial']);
});

it('continues from the lease that got furthest', async () => {
  const open = place();
  const first = await open(1, resumed);
  for (const index of [0, 1]) await first.record(ended(index));
  const second = await open(1, resumed);
  for (const each of [first, second]) {
    await each.leave();
    left(each);
  }
  expect((await open(2, resumed)).results).toHaveLength(2);
});

/** As a process that died leaves it. */
function left(attempt: Attempt): void {
  const file = join(attempt.folder, 'attempt.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: 2 ** 30 }));
}

it('a worker that is killed leaves a manifest with every field and the command under way', async () => {
  const open = place();
  const first = await open(1);
  const fields = { run_id: 'r', stage_id: 's', executor: 'local', slurm_job_id: null, started_at_ms: 1 };
  await first.draft({ ...fields, status: 'running', finished_at_ms: null, error: null });
  const left = () => JSON.parse(readFileSync(join(first.folder, 'manifest.json'), 'utf8'));
  expect(left()).toMatchObject({ ...fields, commands: [] });
  for (const index of [0, 1]) {
    await first.begun({ ...ended(index), args: ['x'.repeat(100)] });
    expect(left().commands[index]).toMatchObject({ index, status: 'running', finished_at_ms: null });
    if (index === 0) await first.record(ended(0));
  }
  expect(left().commands).toMatchObject([{ status: 'succeeded' }, { status: 'running' }]);
  await first.leave();
  await open(2, { adopt: false });
  const manifest = JSON.parse(readFileSync(join(first.bundle, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({
    ...fields,
    status: 'failed',
    finished_at_ms: expect.any(Number),
    extra_files: [],
    commands: [
      { index: 0, status: 'succeeded' },
      {
        index: 1,
        status: 'failed',
        exit_code: null,
        error: 'its worker ended while the command was running',
      },
    ],
    interrupted: true,
  });
});
