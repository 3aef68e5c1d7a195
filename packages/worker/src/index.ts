export * from './cells/cell-runner.ts';
export { filesOf, Sidecar, type SidecarLine } from './cells/sidecar.ts';
export type { Gates } from './limits.ts';
export * from './log-sink.ts';
export * from './remote/execution-folders.ts';
export * from './remote/remote-gates.ts';
export * from './remote/remote-log-sink.ts';
export * from './remote/remote-worker.ts';
export * from './worker.ts';
