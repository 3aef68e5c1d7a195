import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { itUnless } from '../unless.ts';
import { slurmReason, startSlurm } from './start-slurm.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

itUnless(slurmReason())('runs a job, and another after its controller was killed', async () => {
  const cluster = await startSlurm();
  const folder = mkdtempSync(join(tmpdir(), 'woof-slurm-out-'));
  const runs = async (word: string) => {
    const out = join(folder, word);
    const id = cluster.run('sbatch', '--parsable', `--output=${out}`, '--wrap', `echo ${word}`).trim();
    while (!/COMPLETED/.test(cluster.run('squeue', '-h', '-t', 'all', '-j', id, '-o', '%T'))) await sleep(50);
    return readFileSync(out, 'utf8').trim();
  };
  try {
    expect(await runs('first')).toBe('first');
    await cluster.killController();
    expect(() => cluster.run('squeue')).toThrow(/Unable to contact slurm controller|not connected/);
    await cluster.startController();
    expect(await runs('second')).toBe('second');
  } finally {
    await cluster.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});
