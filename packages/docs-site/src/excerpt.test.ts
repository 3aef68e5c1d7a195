import { expect, it } from 'vitest';
import { excerpt } from './excerpt.ts';

const shown = (text: string, words: string[]) =>
  excerpt(text, words)
    .map(({ text: piece, matches }) => (matches ? `[${piece}]` : piece))
    .join('');

it('marks what was found, whatever its case', () => {
  expect(shown('Retry a task. retryable', ['retry'])).toBe('[Retry] a task. [retry]able');
});

it('begins at a word shortly before the first match, and ends', () => {
  const found = shown(`${'before '.repeat(50)}needle${' after'.repeat(50)}`, ['needle']);
  expect(found).toMatch(/^… (before )+\[needle\]( after)+.* …$/);
  expect(found.length).toBeLessThan(180);
});

it('takes words for what they are, not for patterns', () => {
  expect(shown('a.b axb', ['a.b'])).toBe('[a.b] axb');
  expect(shown('plain', [])).toBe('plain');
});
