import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notBuildable, nothingToBuild } from './nothing-to-build.ts';

const folder = mkdtempSync(join(tmpdir(), 'woof-nothing-'));
beforeAll(() => {
  mkdirSync(join(folder, 'site'));
  writeFileSync(join(folder, 'analysis.woofnb'), '');
  writeFileSync(join(folder, 'notes.txt'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['a slip', 'analisis.woofnb', /did you mean .*analysis\.woofnb\?/],
  ['a slip in the name of a folder', 'siet/', /did you mean .*site\?/],
  ['what is near to a file of another kind only', 'nots.txt', /name a notebook/],
  ['a folder that is not there', 'none/analysis.woofnb', /name a notebook/],
  ['nothing near', '01HZX', /name a notebook .* or a run/],
])('%s', (_, name, fix) => {
  const error = nothingToBuild(join(folder, name));
  expect(error).toMatchObject({ exitCode: 2, fix: expect.stringMatching(fix) });
  expect(error.message).toContain(name);
});

test.each([
  ['page.html', /woof open page\.html/],
  ['play.yaml', /woof run play\.yaml, then woof build last/],
  ['notes.txt', /name a notebook/],
])('%s is not a notebook', (name, fix) => {
  expect(notBuildable(name)).toMatchObject({ exitCode: 2, fix: expect.stringMatching(fix) });
});
