/** Messages about files and paths that are not what a command expects. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const HEAD = '%WOOFNB 1.0\nname: x\nlanguage: python\n';
const CELL = '\n```cell id=a type=code\n1\n```\n';

it('woof test reports what is wrong with a notebook before it says that there are no tests', async () => {
  folder.write('n.woofnb', `${HEAD}execution: [1]\n${CELL}`);
  expect(await folder.woof('test', 'n.woofnb')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('notebook/wrong-type'),
  });
  folder.write('n.woofnb', HEAD + CELL);
  expect((await folder.woof('test', 'n.woofnb')).stderr).toContain('has no test cells');
});

it('woof why of a notebook without cells has nothing to say', async () => {
  folder.write('n.woofnb', HEAD);
  expect(await folder.woof('why', 'n.woofnb')).toMatchObject({ code: 0, stdout: '' });
  const { code, stderr } = await folder.woof('why', 'n.woofnb', 'a');
  expect([code, stderr]).toEqual([2, 'error: n.woofnb has no cell "a" that runs\n']);
});

it('a file that cannot be written is named as in the command', async () => {
  folder.write('n.woofnb', HEAD + CELL);
  mkdirSync(join(folder.path, 'sub'));
  const there = readdirSync(folder.path);
  const { code, stderr } = await folder.woof('export', 'n.woofnb', '--py', 'none/n.py');
  expect([code, stderr]).toEqual([
    2,
    'error: cannot write none/n.py: there is no directory none\n  fix: create it first\n',
  ]);
  expect((await folder.woof('export', 'n.woofnb', '--py', 'sub')).stderr).toContain(
    'error: sub is a directory',
  );
  expect((await folder.woof('export', 'n.woofnb', '--py', '/dev/null')).code).toBe(0);
  expect(readdirSync(folder.path)).toEqual(there);
});

it.each([
  ['build', 'n.woofnb', '-o', 'n.woofnb'],
  ['build', 'n.woofnb', '-o', './link'],
  ['build', 'link', '-o', 'n.woofnb'],
  ['build', 'site', '-o', 'site/index.html'],
  ['export', 'n.woofnb', '--ipynb', 'n.woofnb'],
  ['export', 'n.woofnb', '--py', 'link'],
  ['import', 'n.ipynb', '--woofnb', 'n.ipynb'],
  ['import', 'n.ipynb', '-o', './n.ipynb'],
])('%s %s %s %s would overwrite its input, and is refused', async (verb, ...args) => {
  mkdirSync(join(folder.path, 'site'));
  const sources = {
    'n.woofnb': HEAD + CELL,
    'n.ipynb': '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    'site/index.html': '<!doctype html><html lang="en"><title>Site</title></html>',
  };
  for (const [name, text] of Object.entries(sources)) folder.write(name, text);
  symlinkSync('n.woofnb', join(folder.path, 'link'));
  const { code, stderr } = await folder.woof(verb!, ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is the input file and would be overwritten')]);
  for (const [name, text] of Object.entries(sources))
    expect(readFileSync(join(folder.path, name), 'utf8')).toBe(text);
});

it('a file that is not UTF-8 is refused with the place of the first wrong byte, and left unchanged', async () => {
  const file = join(folder.path, 'n.woofnb');
  const bytes = Buffer.from(`${HEAD}\n\n\n\`\`\`cell id=a   type=md\ncafé\n\`\`\`\n`, 'latin1');
  writeFileSync(file, bytes);
  const lint = await folder.woof('lint', 'n.woofnb', '--json');
  const place = { code: 'document/not-text', severity: 'error', line: 8, column: 4 };
  expect([lint.code, JSON.parse(lint.stdout)]).toMatchObject([1, { diagnostics: [place] }]);
  for (const args of [['fmt'], ['run'], ['import', '--woofnb', 'out.woofnb']]) {
    const { code, stderr } = await folder.woof(args[0]!, 'n.woofnb', ...args.slice(1));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/n\.woofnb:8:4.*[\s\S]*the byte 0xe9 here is not valid UTF-8/),
    ]);
  }
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
