export * from './diagnostic.ts';
export * from './json.ts';
export * from './outcome.ts';
export * from './plan.ts';
