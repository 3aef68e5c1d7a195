/** The notices in the repository match the packages that the build bundles. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../cli/woof.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('THIRD-PARTY-NOTICES.txt is up to date; npm run notices writes it', () => {
  expect(read('THIRD-PARTY-NOTICES.txt') === read('dist/THIRD-PARTY-NOTICES.txt')).toBe(true);
});

test('THIRD-PARTY-NOTICES.txt names every package that a bundle holds, with the text of its licence', () => {
  const notices = read('THIRD-PARTY-NOTICES.txt');
  for (const name of [
    'fastify',
    'undici',
    'zod',
    'postgres',
    'vega',
    'pyodide',
    'CPython',
    'yaml',
    'parse5',
    'minisearch',
  ])
    expect(notices).toMatch(new RegExp(`^-+\\n${name} `, 'm'));
  expect(notices).toContain('Permission is hereby granted, free of charge');
});
