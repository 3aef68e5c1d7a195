export { LIMITS, type Limits } from './app.ts';
export { FileLogStore, type LogEntry, type LogPage, type LogStore } from './log-store.ts';
export type { Compile, Compiled } from './parts.ts';
export { Server, type ServerOptions } from './server.ts';
