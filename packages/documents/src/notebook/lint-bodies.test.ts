import { expect, test } from 'vitest';
import { lintBodies } from './lint-bodies.ts';
import { parseNotebook } from './parse.ts';

test.each([
  ['{"mark": }', 3, 10],
  ['{"mark": truu}', 3, 13],
  ['{"mark": "bar",\n "data": ?}', 4, 10],
  ['{"mark": 1,}', 3, 12],
  ['{"mark": "bar"', 3, 15],
])('points at what is wrong in %s', (body, line, column) => {
  const { notebook } = parseNotebook(`%WOOFNB 1.0\n\`\`\`cell id=v type=viz\n${body}\n\`\`\`\n`);
  expect(lintBodies(notebook)).toMatchObject([{ code: 'notebook/bad-viz', line, column }]);
});
