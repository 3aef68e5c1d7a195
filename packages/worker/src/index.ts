export * from './log-sink.ts';
export * from './worker.ts';
