/** What makes workbooks. Each builder gives the whole text of one HTML file. */
export { buildRun, type PagePart } from './build-run.ts';
