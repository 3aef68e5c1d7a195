export * from './keep-alive.ts';
export * from './problem.ts';
export * from './problem-body.ts';
export * from './refusal-text.ts';
export * from './roles.ts';
export * from './routes.ts';
export * from './wire-assignments.ts';
export * from './work.ts';
