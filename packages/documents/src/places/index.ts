/**
 * Places in a document: of steps, of code, of failures. Free of parsers, so that programs that explain a run start
 * fast.
 */
export type { CodePlace, CodeSite } from './code-lines.ts';
export { type FailurePlace, failureFrames, failurePlace } from './failure-place.ts';
export { type StepLines, stepLines } from './step-lines.ts';
export { inDocument } from './traceback-frames.ts';
