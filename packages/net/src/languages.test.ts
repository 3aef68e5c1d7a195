import { expect, it } from 'vitest';
import { canonicalLanguage, languageTitle } from './languages.ts';

it.each(['constructor', 'toString', '__proto__'])('%s is a language like any other unknown one', (name) => {
  expect(languageTitle(name)).toBe(name);
});

it('a language has a title', () => {
  expect(['r', 'sql', 'julia'].map(languageTitle)).toEqual(['R', 'SQL', 'julia']);
});

it('cells share a kernel however they spell its language', () => {
  expect(['Python3', 'PY', 'Julia', 'julia'].map(canonicalLanguage)).toEqual([
    'python',
    'python',
    'julia',
    'julia',
  ]);
});
