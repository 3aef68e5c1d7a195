import { readdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from './effect-server.ts';
import { lastJson, root, runWoof, temporaryFolder } from './woof.ts';

const folder = join(root, 'examples');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

interface Expected {
  sets?: (url: string) => string[];
  step: string;
  result: unknown;
  /** 3: it waits for a person. */
  status?: number;
}

const expected: Record<string, Expected> = {
  'hello.yaml': { sets: () => ['name=Ada'], step: 'shout', result: 'HELLO, ADA!' },
  'retry.yaml': { sets: (url) => [`url=${url}/flaky/a?n=2`], step: 'report', result: { ok: true } },
  'pagination.yaml': { sets: (url) => [`api=${url}`], step: 'start', result: [1, 2, 3, 4, 5, 6] },
  'graphql-pages.yaml': { sets: (url) => [`api=${url}`], step: 'start', result: [1, 2, 3, 4, 5] },
  'parallel-sum.yaml': { step: 'report', result: { total: 84, largest: 40, orders: 3 } },
  'nightly.yaml': { sets: () => ['days=7'], step: 'report', result: '7 days' },
  'join.yaml': {
    step: 'combine',
    result: { stock: { apples: 3, pears: 5 }, prices: { apples: 2, pears: 4 } },
  },
  'quantum.yaml': {
    step: 'report',
    result: {
      results: [
        { angle: 0, ones: 0 },
        { angle: 0.5236, ones: 0.055 },
        { angle: 1.0472, ones: 0.234 },
        { angle: 1.5708, ones: 0.4975 },
        { angle: 3, ones: 0.991 },
      ],
      stats: { total: 5, succeeded: 5, failed: 0 },
    },
  },
  'nested.yaml': { step: 'program', result: 'HELLO, ADA! HELLO, GRACE!' },
  'best-effort.yaml': {
    sets: (url) => [`api=${url}`],
    step: 'report',
    result: { found: ['thing 2', 'thing 4'], failed: 2 },
  },
  'tour.yaml': {
    sets: (url) => [`shop=${url}`, 'customers=[ada, grace]'],
    step: 'report',
    result: { orders: 4, totals: 'ada 30, grace 30', largest: 20 },
  },
  'build.workflow.yaml': {
    step: 'check@tool=sha256sum',
    result: expect.objectContaining({ status: 'succeeded' }),
  },
  'release.workflow.yaml': {
    step: 'check',
    result: expect.objectContaining({ status: 'succeeded' }),
    status: 3,
  },
  'python.yaml': { step: 'start', result: { mean: 2, sorted: [1, 2, 3] } },
};

/** Its stages need a cluster: e2e/workflow/slurm.test.ts runs it. That it is right is tested here all the same. */
const elsewhere = ['slurm.workflow.yaml'];

describe('examples', () => {
  test.each(files.filter((file) => !elsewhere.includes(file)))('%s runs', async (file) => {
    expect(Object.keys(expected), 'say in this table what the example gives').toContain(file);
    const { sets, step, result, status = 0 } = expected[file]!;
    const { url } = await startEffectServer();
    const flags = (sets?.(url) ?? []).flatMap((set) => ['--set', set]);
    const cwd = temporaryFolder();
    const ran = await runWoof(['run', await placed(file, cwd), '--json', ...flags], { cwd });
    expect(ran.stderr).not.toContain('warning');
    expect(lastJson(ran).steps[step]?.result).toEqual(result);
    expect(ran.status).toBe(status);
  });

  test('all are formatted and without warnings', async () => {
    const paths = files.map((file) => join(folder, file));
    const cwd = temporaryFolder();
    const linted = await runWoof(['lint', '--json', ...paths], { cwd });
    expect(lastJson<{ diagnostics: unknown[] }>(linted).diagnostics).toEqual([]);
    expect(await runWoof(['fmt', '--check', ...paths], { cwd })).toMatchObject({ status: 0, stderr: '' });
  });
});

/** A workflow works in the folder that it lies in, so it is run from a copy. */
async function placed(file: string, cwd: string): Promise<string> {
  if (!file.endsWith('.workflow.yaml')) return join(folder, file);
  await copyFile(join(folder, file), join(cwd, file));
  return join(cwd, file);
}
