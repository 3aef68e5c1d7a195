export * from './problem.ts';
export * from './wire-assignments.ts';
export * from './work.ts';
