import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type Account, Folder } from '../playbook/run-playbook.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const notebooks = readdirSync(examples).filter((name) => name.endsWith('.woofnb'));

it.each(notebooks)('%s runs, passes its tests, and is formatted', async (name) => {
  const folder = new Folder();
  copyFileSync(join(examples, name), join(folder.path, name));
  const { code, stdout } = await folder.woof('run', name, '--json');
  expect(code).toBe(0);
  const { steps } = JSON.parse(stdout.trim().split('\n').at(-1)!) as Account;
  expect(new Set(Object.values(steps).map(({ status }) => status))).toEqual(new Set(['succeeded']));
  expect((await folder.woof('test', name)).stdout).toMatch(/[1-9]\d* passed, 0 failed, 0 skipped/);
  expect((await folder.woof('lint', name)).stdout).toMatch(/0 errors, 0 warnings/);
  expect((await folder.woof('fmt', '--check', name)).code).toBe(0);
  folder.dispose();
});
