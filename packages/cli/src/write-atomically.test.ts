import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeAtomically } from './write-atomically.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-write-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps the mode of the file, and leaves nothing else', () => {
  const file = join(folder, 'a');
  writeFileSync(file, 'old');
  chmodSync(file, 0o751);
  writeAtomically(file, 'new');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o751]);
  expect(readdirSync(folder)).toEqual(['a']);
});

it('writes to the target of a link', () => {
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real/a'), 'old');
  symlinkSync('real/a', join(folder, 'link'));
  writeAtomically(join(folder, 'link'), 'new');
  expect(readFileSync(join(folder, 'real/a'), 'utf8')).toBe('new');
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
});

it('writes to what is not a file', () => {
  expect(() => writeAtomically('/dev/null', 'gone')).not.toThrow();
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

it.each([
  ['sub/none/a', /cannot write .*none\/a: there is no directory .*none$/],
  ['file/a', /cannot write .*file\/a: there is no directory .*file$/],
  ['sub', /sub is a directory/],
])('says what is wrong with %s, and leaves nothing behind', (path, message) => {
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => writeAtomically(join(folder, path), 'x')).toThrow(message);
  expect(readdirSync(folder).sort()).toEqual(['file', 'sub']);
});
