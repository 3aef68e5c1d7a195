import type { Tool } from '../tool.ts';

/** Does nothing and gives `result`. One allocation a task: chains of no-ops measure the engine, not this tool. */
export const noopTool: Tool = {
  schema: {
    kind: 'noop',
    summary: 'Does nothing and gives a result.',
    pure: true,
    fields: { result: { type: 'any', doc: 'The result; null unless set.' } },
  },
  run: (call) => Promise.resolve({ status: 'ok', result: call.input.result ?? null }),
};
