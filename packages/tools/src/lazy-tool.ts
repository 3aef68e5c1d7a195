import type { ToolSchema } from '@woof/net';
import type { Tool } from './tool.ts';

/** A tool whose code is loaded by its first task. */
export function lazyTool(schema: ToolSchema, load: () => Promise<Tool>): Tool {
  let loaded: Promise<Tool> | undefined;
  return {
    schema,
    async run(call, context) {
      loaded ??= load();
      return (await loaded).run(call, context);
    },
    async close() {
      const tool = await loaded;
      await tool?.close?.();
    },
  };
}
