export { isHost } from './access/host-check.ts';
export { LIMITS, type Limits } from './app.ts';
export { LOG_FORMATS, LOG_LEVELS, ServerLog } from './log/server-log.ts';
export { FileLogStore, type LogEntry, type LogPage, type LogStore } from './log-store.ts';
export type { Compile, Compiled } from './parts.ts';
export { RecordsLogStore } from './records-log-store.ts';
export { Server, type ServerOptions } from './server.ts';
