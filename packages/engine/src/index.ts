export * from './engine.ts';
export * from './executor.ts';
export * from './ids.ts';
export * from './replay.ts';
export * from './rerun-history.ts';
