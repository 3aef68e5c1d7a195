/** Which stage waits for which: `edges` of the workflow and `deps` of its stages, as one list without duplicates. */
import { findCycles } from '../graph/cycles.ts';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { EDGE_KEYS } from './keys.ts';
import type { Reading } from './reading.ts';

/** `to` waits for `from`. */
export interface Edge {
  from: string;
  to: string;
  at: { start: number; end: number };
}

export interface NamedStage {
  id: string;
  body: MapNode;
  at: Node;
}

/** The edges between existing stages, in the order of the text: first `edges`, then `deps`. */
export function takeEdges(reading: Reading, root: MapNode, stages: readonly NamedStage[]): Edge[] {
  const ids = new Set(stages.map(({ id }) => id));
  const found = new Map<string, Edge>();
  const add = (edge: Edge): void => {
    const key = `${edge.from}\n${edge.to}`;
    const first = found.get(key);
    if (first && !reading.hasEnough) {
      const [line] = reading.position(first.at);
      reading.report(problems.duplicateEdge(reading.span(edge.at), edge.from, edge.to, line));
    } else if (!first) found.set(key, edge);
  };
  const known = (node: Node, id: string): boolean => {
    if (!ids.has(id) && !reading.hasEnough)
      reading.report(problems.unknownStage(reading.span(node), id, ids));
    return ids.has(id);
  };
  for (const item of reading.takeList(child(root, 'edges'), 'edges')?.items ?? [])
    takeEdge(reading, item, known, add);
  for (const stage of stages) takeDeps(reading, stage, known, add);
  const edges = [...found.values()];
  refuseCycles(reading, edges, found);
  return edges;
}

type Known = (node: Node, id: string) => boolean;

function takeEdge(reading: Reading, item: Node, known: Known, add: (edge: Edge) => void): void {
  const map = reading.takeMap(item, 'an edge');
  if (!map) return;
  reading.checkKeys(map, 'an edge', EDGE_KEYS);
  const [from, to] = EDGE_KEYS.map((key) => {
    const id = reading.takeRequiredText(map, key, 'the edge');
    return id !== undefined && known(child(map, key)!, id) ? id : undefined;
  });
  if (from !== undefined && to !== undefined) add({ from, to, at: map });
}

function takeDeps(reading: Reading, { id, body }: NamedStage, known: Known, add: (edge: Edge) => void): void {
  const node = child(body, 'deps');
  if (node === undefined) return;
  const items = node.type === 'scalar' ? [node] : (reading.takeList(node, 'deps')?.items ?? []);
  for (const item of items) {
    const from = reading.takeText(item, 'deps');
    if (from !== undefined && known(item, from)) add({ from, to: id, at: item });
  }
}

function refuseCycles(reading: Reading, edges: readonly Edge[], found: ReadonlyMap<string, Edge>): void {
  for (const cycle of findCycles(targetsOf(edges))) {
    const closing = found.get(`${cycle.at(-2)}\n${cycle.at(-1)}`)!;
    reading.report(problems.cycle(reading.span(closing.at), cycle));
  }
}

export function targetsOf(edges: readonly Edge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const of = targets.get(from);
    if (of) of.push(to);
    else targets.set(from, [to]);
  }
  return targets;
}
