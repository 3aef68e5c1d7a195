import { expect, it } from 'vitest';
import { exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { noopTool } from './noop-tool.ts';

exerciseTool('noop', { make: () => noopTool, good: [{ input: { result: [1] } }, { input: {} }], bad: [] });

it.each([
  [{ result: { a: 1 } }, { a: 1 }],
  [{ result: false }, false],
  [{}, null],
])('returns the result of %j', async (input, result) => {
  expect(await noopTool.run(toolCall({ input }), toolContext())).toEqual({ status: 'ok', result });
});
