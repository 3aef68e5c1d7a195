/** Whose folder a lease works in, where several leases of one try share a disk. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Attempt } from './attempt.ts';

const intent = (fence: number, attempt = 1) => {
  return { attempt, fence, block_sha256: 'x', started_at_ms: 1, workdir: '/w' };
};

function place() {
  const runs = mkdtempSync(join(tmpdir(), 'woof-attempt-'));
  onTestFinished(() => rmSync(runs, { recursive: true, force: true }));
  const at = { runs, executionId: 'r', stage: 's' };
  return async (fence: number, { adopt = true, attempt = 1 } = {}) => {
    const opened = await Attempt.open(at, { intent: intent(fence, attempt), adopt, resume: false });
    onTestFinished(() => opened.leave());
    return opened;
  };
}

/** As a worker of another machine leaves it: nobody here can tell whether it lives. */
function elsewhere(attempt: Attempt): void {
  const file = join(attempt.folder, 'attempt.json');
  const mark = { ...JSON.parse(readFileSync(file, 'utf8')), host: 'elsewhere' };
  writeFileSync(file, JSON.stringify(mark));
}

it('goes on in the folder of an earlier lease, on whatever machine its worker is', async () => {
  const open = place();
  const first = await open(1);
  elsewhere(first);
  expect((await open(2)).folder).toBe(first.folder);
});

it('begins anew for another try, where nothing lives on, and under an older fence', async () => {
  const open = place();
  const first = await open(2);
  elsewhere(first);
  const others = [await open(3, { attempt: 2 }), await open(3, { adopt: false }), await open(1)];
  expect(others.map(({ number }) => number)).toEqual([2, 3, 4]);
  expect(existsSync(first.folder)).toBe(true);
});

it('throws nothing away that a later lease goes on with', async () => {
  const open = place();
  const first = await open(1);
  const second = await open(2);
  await first.discard();
  expect(existsSync(second.folder)).toBe(true);
  await second.discard();
  expect(existsSync(second.folder)).toBe(false);
});
