import { readdirSync } from 'node:fs';
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
}

const expected: Record<string, Expected> = {
  'hello.yaml': { sets: () => ['name=Ada'], step: 'shout', result: 'HELLO, ADA!' },
  'retry.yaml': { sets: (url) => [`url=${url}/flaky/a?n=2`], step: 'report', result: { ok: true } },
  'pagination.yaml': { sets: (url) => [`api=${url}`], step: 'start', result: [1, 2, 3, 4, 5, 6] },
  'parallel-sum.yaml': { step: 'report', result: { total: 84, largest: 40, orders: 3 } },
  'join.yaml': {
    step: 'combine',
    result: { stock: { apples: 3, pears: 5 }, prices: { apples: 2, pears: 4 } },
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
  'python.yaml': { step: 'start', result: { mean: 2, sorted: [1, 2, 3] } },
};

describe('examples', () => {
  test.each(files)('%s runs', async (file) => {
    expect(Object.keys(expected), 'say in this table what the example gives').toContain(file);
    const { sets, step, result } = expected[file]!;
    const { url } = await startEffectServer();
    const flags = (sets?.(url) ?? []).flatMap((set) => ['--set', set]);
    const ran = await runWoof(['run', join(folder, file), '--json', ...flags], { cwd: temporaryFolder() });
    expect(ran.stderr).not.toContain('warning');
    expect(lastJson(ran).steps[step]?.result).toEqual(result);
    expect(ran.status).toBe(0);
  });

  test('all are formatted and without warnings', async () => {
    const paths = files.map((file) => join(folder, file));
    const cwd = temporaryFolder();
    const linted = await runWoof(['lint', '--json', ...paths], { cwd });
    expect(lastJson<{ diagnostics: unknown[] }>(linted).diagnostics).toEqual([]);
    expect(await runWoof(['fmt', '--check', ...paths], { cwd })).toMatchObject({ status: 0, stderr: '' });
  });
});
