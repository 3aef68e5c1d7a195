import { expect, test } from 'vitest';
import { didYouMean } from './nearest.ts';

test.each([
  ['htp', ['noop', 'http', 'python'], 'did you mean "http"?'],
  ['HTTP', ['noop', 'http'], 'did you mean "http"?'],
  ['description', ['step', 'desc', 'spec'], 'did you mean "desc"?'],
  ['tools', ['tool', 'loop'], 'did you mean "tool"?'],
  ['colour', ['timeout', 'env'], undefined],
  ['x', ['y'], undefined],
  ['', ['a'], undefined],
  ['x'.repeat(10_000), ['x'], undefined],
])('%j', (word, known, expected) => {
  expect(didYouMean(word, known)).toBe(expected);
});
