import type { Tool } from '../tool.ts';
import { noopSchema } from './noop-schema.ts';

/** Does nothing and returns `result`. One allocation per task: chains of no-ops measure the engine, not this tool. */
export const noopTool: Tool = {
  schema: noopSchema,
  run: (call) => Promise.resolve({ status: 'ok', result: call.input.result ?? null }),
};
