export { isHost } from './access/host-check.ts';
export { LIMITS, type Limits } from './app.ts';
export { LOG_FORMATS, LOG_LEVELS, ServerLog } from './log/server-log.ts';
export type { BuildReport, Compile, Compiled, ReportSource } from './parts.ts';
export { Server, type ServerOptions } from './server.ts';
