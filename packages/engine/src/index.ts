export * from './desk.ts';
export * from './engine.ts';
export * from './executor.ts';
export * from './ids.ts';
export * from './replay.ts';
export * from './rerun-history.ts';
export * from './upkeep.ts';
export * from './work-service.ts';
