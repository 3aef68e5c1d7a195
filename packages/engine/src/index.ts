export * from './engine.ts';
export * from './ids.ts';
export * from './replay.ts';
export * from './rerun-history.ts';
export * from './values.ts';
