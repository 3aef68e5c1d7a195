/** Only the drawings of a plan, for pages that read no documents. */
export { type Drawing, drawingOf, NODE } from './drawing.ts';
export { type Graph, graphOf } from './graph.ts';
