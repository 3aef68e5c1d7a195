/** Builds workbooks, and takes them apart. Each builder returns the whole text of one HTML file. */
export { buildRun, type PagePart } from './build-run.ts';
export { compareSources, type Drift } from './compare-sources.ts';
export { type Inspection, inspectPage } from './inspect-page.ts';
export { gunzip, gzip } from './node-gzip.ts';
export { openBundle } from './open-bundle.ts';
export { packSources } from './pack-sources.ts';
export { readPage } from './read-page.ts';
export { type RunSource, RunTooLarge, readRun } from './read-run.ts';
export { type FileProblem, Refused } from './refused.ts';
export { BlockedPath, isAbsentOrEmpty, writeTree } from './write-tree.ts';
