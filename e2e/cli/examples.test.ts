import { describe, expect, test } from 'vitest';
import { startEffectServer } from './effect-server.ts';
import { EXAMPLE_FILES, EXPECTED, examplePath, flagsOf, placed, RUNNABLE } from './example-cases.ts';
import { lastJson, runWoof, temporaryFolder } from './woof.ts';

describe('examples', () => {
  test.each(RUNNABLE)('%s runs', async (file) => {
    expect(Object.keys(EXPECTED), 'say in this table what the example gives').toContain(file);
    const { step, result, status = 0 } = EXPECTED[file]!;
    const { url } = await startEffectServer();
    const cwd = temporaryFolder();
    const args = ['run', placed(file, cwd), '--json', ...flagsOf(file, url)];
    const ran = await runWoof(args, { cwd });
    expect(ran.stderr).not.toContain('warning');
    expect(lastJson(ran).steps[step]?.result).toEqual(result);
    expect(ran.status).toBe(status);
  });

  test('all are formatted and without warnings', async () => {
    const paths = EXAMPLE_FILES.map(examplePath);
    const cwd = temporaryFolder();
    const linted = await runWoof(['lint', '--json', ...paths], { cwd });
    expect(lastJson<{ diagnostics: unknown[] }>(linted).diagnostics).toEqual([]);
    expect(await runWoof(['fmt', '--check', ...paths], { cwd })).toMatchObject({ status: 0, stderr: '' });
  });
});
