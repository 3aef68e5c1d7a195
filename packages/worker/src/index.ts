export * from './cells/cell-runner.ts';
export * from './log-sink.ts';
export * from './worker.ts';
