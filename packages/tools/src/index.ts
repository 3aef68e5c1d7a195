export { isAlive } from '@woof/sandbox';
export { decodeUri } from './decode-uri.ts';
export { FieldFault } from './fields.ts';
export { type ForeignKind, KindFault, loadKinds } from './load-kinds.ts';
export { POSTGRES_NAMES } from './postgres/postgres-address.ts';
export { createTools, manualOf, type ToolOptions, toolSchemas, workerSchemas } from './registry.ts';
export { Absent, type FarStore } from './result-store/far-store.ts';
export type { Blobs, IoPolicy, Parked, Tool, ToolCall, ToolContext } from './tool.ts';
export type { ToolManual } from './tool-manual.ts';
