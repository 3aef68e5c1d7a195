export { type ForeignKind, KindFault, loadKinds } from './load-kinds.ts';
export { createTools, type ToolOptions, toolSchemas } from './registry.ts';
export type { Blobs, IoPolicy, Parked, Tool, ToolCall, ToolContext } from './tool.ts';
