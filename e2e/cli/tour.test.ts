/** What `npm start` does after the set-up, with a data directory of its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root, temporaryFolder } from './woof.ts';

const tour = async (...args: string[]) => {
  const env = { ...process.env, WOOF_DATA: join(temporaryFolder(), 'data'), NO_COLOR: '1' };
  return promisify(execFile)(process.execPath, [join(root, 'scripts', 'tour.mjs'), ...args], { env });
};

test('the tour runs the notebook, then again from the cache, and says why', async () => {
  const { stdout, stderr } = await tour();
  expect(stderr.match(/succeeded in/g)).toHaveLength(2);
  // What a cell prints is shown when it runs, and only then.
  expect(stderr.match(/counted in JavaScript/g)).toHaveLength(1);
  expect(stdout).toContain('walks  it is a data cell, which is bound but never runs\n');
  const reasons = [...stdout.matchAll(/^(\w+) {2}it (would|is)/gm)];
  expect(reasons).toHaveLength(8);
  expect(stdout).not.toContain('it would run');
  expect(stdout).toContain('npm start -- playbook');
});

test('the other tour runs the playbook', async () => {
  const { stderr } = await tour('playbook');
  expect(stderr).toMatch(/succeeded in .*, 4 of 4 steps/);
});
