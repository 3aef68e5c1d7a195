/** Which jobs become one array, without Slurm: a substitute program counts what it receives. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { JobArea } from './job-area.ts';
import { type Submission, Submitter } from './submitter.ts';

const group = { key: 'run/m', title: 'm', count: 3 };
let folder: string;
let submitter: Submitter;

beforeEach(() => {
  folder = temporaryFolder('submitter');
  const program = join(folder, 'sbatch');
  writeFileSync(program, '#!/bin/sh\necho job >>"$0.jobs"; wc -l <"$0.jobs"\n');
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
  submitter = new Submitter();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers().unstubAllEnvs());
});

function submit(title: string): Promise<string> {
  const area = new JobArea(join(folder, title));
  mkdirSync(area.folder);
  const submission: Submission = { area, token: title, title, workdir: folder, args: [], script: '', group };
  return submitter.submit(submission).then(({ id }) => id);
}

it('waits for a stage of the matrix that is expected, however long that takes', async () => {
  submitter.expect(group, 'b');
  const a = submit('a');
  vi.advanceTimersByTime(3_600_000);
  expect(await Promise.all([a, submit('b')])).toEqual(['1_0', '1_1']);
});

it('waits no longer for a stage that does not come', async () => {
  const withdraw = submitter.expect(group, 'b');
  const a = submit('a');
  vi.advanceTimersByTime(3_600_000);
  withdraw();
  expect(await a).toBe('1');
});

it('waits briefly for stages that nobody has announced', async () => {
  const a = submit('a');
  const b = submit('b');
  vi.advanceTimersByTime(3_600_000);
  expect(await Promise.all([a, b])).toEqual(['1_0', '1_1']);
});
