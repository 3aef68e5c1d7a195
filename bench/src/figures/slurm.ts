/** Many jobs on a real one-node Slurm, from one worker: how often it polls, and what it adds to Slurm's own time. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { JsonObject, Plan, Step } from '@woof/net';
import { type SlurmCluster, slurmReason, startSlurm } from '@woof/testkit/slurm';
import { openBenchEngine } from '../bench-engine.ts';
import type { Figure } from '../figure.ts';

const JOBS = 200;
const POLL_MS = 1000;

export async function slurmFigures(): Promise<Figure[]> {
  const reason = slurmReason();
  if (reason !== undefined) return [{ name: 'Slurm: 200 jobs', value: Number.NaN, unit: 's', note: reason }];
  const cluster = await startSlurm({ cpus: 64 });
  Object.assign(process.env, cluster.env);
  try {
    const own = await alone(cluster);
    const single = await blocks(false);
    const array = await blocks(true);
    const note = `${single.polls} calls of squeue in ${single.seconds.toFixed(1)} s`;
    return [
      {
        name: 'Slurm: polls a second, 200 jobs',
        value: single.polls / single.seconds,
        unit: '/s',
        atMost: 1,
        note,
      },
      { name: 'Slurm: 200 stages', value: single.seconds, unit: 's' },
      { name: 'Slurm: 200 stages of a matrix, arrays', value: array.seconds, unit: 's' },
      { name: 'Slurm: 200 jobs by sbatch alone', value: own, unit: 's' },
    ];
  } finally {
    await cluster.dispose();
  }
}

/** The same jobs without Woof. */
async function alone(cluster: SlurmCluster): Promise<number> {
  const began = performance.now();
  const output = ['--mem=16', '--output=/dev/null', '--wrap', 'true'];
  for (let count = 0; count < JOBS; count += 1) cluster.run('sbatch', '--parsable', ...output);
  while (cluster.run('squeue', '-h').trim() !== '') await new Promise((resolve) => setTimeout(resolve, 100));
  return (performance.now() - began) / 1000;
}

async function blocks(matrix: boolean): Promise<{ seconds: number; polls: number }> {
  const bench = openBenchEngine();
  const before = process.env.PATH ?? '';
  const count = countCalls(bench.folder);
  const began = performance.now();
  try {
    const ended = await bench.engine.finished(await bench.start(planOf(matrix)));
    if (ended.status !== 'succeeded') throw new Error(`the stages ended as ${JSON.stringify(ended.error)}`);
    return { seconds: (performance.now() - began) / 1000, polls: count() };
  } finally {
    process.env.PATH = before;
    await bench.close();
  }
}

/** A squeue that precedes the real one on the PATH and records each call. */
function countCalls(folder: string): () => number {
  const bin = join(folder, 'bin');
  const calls = join(folder, 'calls');
  mkdirSync(bin);
  const real = (process.env.PATH ?? '')
    .split(delimiter)
    .map((entry) => join(entry, 'squeue'))
    .find(existsSync);
  writeFileSync(join(bin, 'squeue'), `#!/bin/sh\necho >>${calls}\nexec ${real} "$@"\n`);
  chmodSync(join(bin, 'squeue'), 0o755);
  process.env.PATH = `${bin}${delimiter}${process.env.PATH}`;
  return () => readFileSync(calls, 'utf8').length;
}

function planOf(matrix: boolean): Plan {
  const steps = Array.from({ length: JOBS }, (_, index) => stage(`s${index}`, matrix));
  const entry = steps.map(({ name }) => name);
  const rest = { workload: {}, keychain: [], blocks: {}, where: {} };
  return { kind: 'workflow', name: 'bench', entry, failure: 'skip', steps, ...rest };
}

function stage(name: string, matrix: boolean): Step {
  const input: JsonObject = {
    executor: { kind: 'slurm', poll_ms: POLL_MS, mem_mb: 16 },
    commands: [{ program: 'true' }],
    ...(matrix ? { matrix: { group: 'all', count: JOBS } } : {}),
  };
  return {
    name,
    at: [1, 1],
    join: 'all',
    admit: [],
    tasks: [{ label: 'run', kind: 'exec', at: [1, 1], input, spec: {} }],
    next: { mode: 'inclusive', arcs: [] },
  };
}
