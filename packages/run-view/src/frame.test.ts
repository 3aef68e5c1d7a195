import { expect, it } from 'vitest';
import { frameOf } from './frame.ts';

const place = { step: 'a', line: 2 };

it('a frame ends with the last line of the document', () => {
  expect(frameOf('one\ntwo\n', place, 'a')?.lines).toEqual(['one', 'two']);
  expect(frameOf('one\ntwo\n\nfour', place, 'a')?.lines).toEqual(['one', 'two', '', 'four']);
});

it('only the step that failed has one, and only if the document has that line', () => {
  expect(frameOf('one\ntwo\n', place, 'b')).toBeUndefined();
  expect(frameOf('one\n', place, 'a')).toBeUndefined();
});
