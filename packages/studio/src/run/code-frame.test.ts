import { expect, it } from 'vitest';
import { frameOf, type Source, textOfStep } from './code-frame.ts';

const sourceOf = (text: string, end_line: number): Source => ({
  text,
  language: 'yaml',
  steps: { a: { line: 1, end_line } },
  error: { step: 'a', message: 'no', line: 2 },
});

it('a frame ends with the last line of the document', () => {
  expect(frameOf(sourceOf('one\ntwo\n', 2), 'a')?.lines).toEqual(['one', 'two']);
  expect(frameOf(sourceOf('one\ntwo\n\nfour', 2), 'a')?.lines).toEqual(['one', 'two', '', 'four']);
});

it('the text of a long step names the lines that it has', () => {
  const text = 'line\n'.repeat(300);
  expect(textOfStep(sourceOf(text, 300), 'a')).toMatchObject({ from: 1, to: 200, end: 300 });
  expect(textOfStep(sourceOf(text, 3), 'a')).toEqual({ from: 1, to: 3, end: 3, text: 'line\nline\nline' });
});
