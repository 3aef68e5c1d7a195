/** Runs the tests that are written in Python. */
import { spawnSync } from 'node:child_process';
import { findInterpreter } from '@woof/sandbox';
import { expect, it } from 'vitest';

it('passes the tests in Python', async () => {
  const { executable } = await findInterpreter();
  const args = ['-B', '-m', 'unittest', 'discover', '-p', 'test_*.py'];
  const { status, stderr } = spawnSync(executable, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(stderr).toMatch(/^Ran [1-9]\d* tests /m);
  expect(status, stderr).toBe(0);
});
