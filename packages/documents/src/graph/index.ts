/** The drawings of a plan alone, for pages that have no documents to read. */
export { type Drawing, drawingOf, NODE } from './drawing.ts';
export { type Graph, graphOf } from './graph.ts';
