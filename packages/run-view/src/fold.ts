/** The fold alone, for workers: nothing here draws. */

export { eventRow, type FoldOptions, RunFold } from './run-fold.ts';
export type * from './run-source.ts';
