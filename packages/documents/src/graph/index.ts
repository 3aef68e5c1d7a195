/** The drawings of a plan alone, for pages that have no documents to read. */
export { type Graph, graphOf } from './graph.ts';
export { type Item, layOut } from './layout.ts';
