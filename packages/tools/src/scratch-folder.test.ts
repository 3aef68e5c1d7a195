import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeScratch } from './scratch-folder.ts';

const before = process.env.TMPDIR;
const root = mkdtempSync(join(tmpdir(), 'woof-scratch-test-'));
const elsewhere = mkdtempSync(join(tmpdir(), 'woof-elsewhere-'));
process.env.TMPDIR = root;
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  for (const each of [root, elsewhere]) rmSync(each, { recursive: true, force: true });
});

it('is private, and the first one removes what dead processes have left', async () => {
  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  const gone = spawnSync(process.execPath, ['-e', '0']).pid;
  writeFileSync(join(elsewhere, 'kept'), '');
  const make = (name: string) => {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, '0'), 'rows');
    return join(root, name);
  };
  const left = make(`woof-scratch-${namespace}-${gone}-AbCdEf`);
  const kept = [
    make(`woof-scratch-${namespace}-${process.ppid}-AbCdEf`),
    make(`woof-scratch-1-${gone}-AbCdEf`),
    make('woof-scratch-other'),
  ];
  symlinkSync(elsewhere, join(root, `woof-scratch-${namespace}-${gone}-GhIjKl`));

  const folder = await makeScratch();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(basename(folder)).toContain(`-${process.pid}-`);
  expect(existsSync(left)).toBe(false);
  for (const each of kept) expect(existsSync(join(each, '0'))).toBe(true);
  expect(existsSync(join(elsewhere, 'kept'))).toBe(true);
});
