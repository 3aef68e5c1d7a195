/**
 * Places the steps in layers, each below all that lead to it. An arc over several layers passes through the ones
 * between as a thin item of its own. Gives up, with undefined, where a layer is wider than the terminal.
 */
import { harmless, shorten, widthOf } from '../render/terminal-text.ts';
import type { Graph } from './graph.ts';
import { groupBy } from './group-by.ts';

export interface Item {
  /** Absent: an arc passes here. */
  node?: { id: string; type: string };
  lines: string[];
  width: number;
  x: number;
}

export interface Link {
  from: Item;
  to: Item;
}

export interface Layout {
  layers: Item[][];
  /** Links from each layer to the next. */
  links: Link[][];
}

const GAP = 3;
const MAX_NAME = 32;

export const centre = (item: Item): number => item.x + Math.floor(item.width / 2);

export function layOut(graph: Graph, width: number): Layout | undefined {
  const place = new Map(graph.order.map((id, i) => [id, i]));
  const isBack = (edge: { from: string; to: string }) => place.get(edge.to)! <= place.get(edge.from)!;
  const forward = uniqueEdges(graph.edges.filter((edge) => !isBack(edge)));
  const depth = depths(graph.order, forward);
  const back = groupBy(graph.edges.filter(isBack), (edge) => edge.from);
  const items = new Map(graph.nodes.map((node) => [node.id, itemOf(node, back.get(node.id) ?? [])]));
  const layers: Item[][] = [];
  for (const id of graph.order) {
    const layer = depth.get(id)!;
    layers[layer] ??= [];
    layers[layer].push(items.get(id)!);
  }
  const links: Link[][] = layers.map(() => []);
  if (layers.some((layer) => !fits(layer, width))) return undefined;
  for (const { from, to } of forward) {
    let last = items.get(from)!;
    for (let layer = depth.get(from)!; layer < depth.get(to)!; layer++) {
      const isLast = layer + 1 === depth.get(to)!;
      const next: Item = isLast ? items.get(to)! : { lines: [], width: 1, x: 0 };
      if (!isLast) layers[layer + 1]!.push(next);
      if (!isLast && !fits(layers[layer + 1]!, width)) return undefined;
      links[layer]!.push({ from: last, to: next });
      last = next;
    }
  }
  for (const [i, layer] of layers.entries()) placeLayer(layer, links[i - 1] ?? [], width);
  return { layers, links };
}

function itemOf(node: { id: string; type: string }, back: { to: string }[]): Item {
  const targets = [...new Set(back.map((edge) => edge.to))];
  const lines = [node.id, node.type, ...targets.map((to) => `↺ ${to}`)].map((line) =>
    shorten(harmless(line), MAX_NAME),
  );
  return { node, lines, width: Math.max(...lines.map(widthOf)) + 4, x: 0 };
}

function uniqueEdges(edges: { from: string; to: string }[]): { from: string; to: string }[] {
  return [...new Map(edges.map((edge) => [JSON.stringify([edge.from, edge.to]), edge])).values()];
}

function depths(order: readonly string[], edges: { from: string; to: string }[]): Map<string, number> {
  const depth = new Map(order.map((id) => [id, 0]));
  const out = groupBy(edges, (edge) => edge.from);
  for (const id of order) {
    for (const { to } of out.get(id) ?? []) depth.set(to, Math.max(depth.get(to)!, depth.get(id)! + 1));
  }
  return depth;
}

function fits(layer: readonly Item[], width: number): boolean {
  let total = -GAP;
  for (const item of layer) {
    total += item.width + GAP;
    if (total > width) return false;
  }
  return true;
}

/** Near the middle of what leads to it, in that order from left to right, pushed apart where boxes would touch. */
function placeLayer(layer: Item[], links: readonly Link[], width: number): void {
  const wanted = new Map(layer.map((item) => [item, wantedCentre(item, links)]));
  layer.sort((a, b) => wanted.get(a)! - wanted.get(b)!);
  let free = 0;
  for (const item of layer) {
    item.x = Math.max(free, Math.round(wanted.get(item)! - item.width / 2));
    free = item.x + item.width + GAP;
  }
  let limit = width;
  for (const item of layer.toReversed()) {
    item.x = Math.min(item.x, limit - item.width);
    limit = item.x - GAP;
  }
}

function wantedCentre(item: Item, links: readonly Link[]): number {
  const above = links.filter((link) => link.to === item).map((link) => centre(link.from));
  return above.length === 0 ? 0 : above.reduce((sum, x) => sum + x, 0) / above.length;
}
