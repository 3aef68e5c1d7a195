import { expect, it } from 'vitest';
import { type Source, textOfStep } from './step-text.ts';

const sourceOf = (text: string, end_line: number): Source => ({
  text,
  language: 'yaml',
  steps: { a: { line: 1, end_line } },
});

it('the text of a long step names the lines that it shows', () => {
  const text = 'line\n'.repeat(300);
  expect(textOfStep(sourceOf(text, 300), 'a')).toMatchObject({ from: 1, to: 200, end: 300 });
  expect(textOfStep(sourceOf(text, 3), 'a')).toEqual({ from: 1, to: 3, end: 3, text: 'line\nline\nline' });
});
