/**
 * Places the steps in layers, each below all that lead to it. An arc over several layers passes through the ones
 * between as a thin item of its own. Returns undefined if a layer is wider than the terminal.
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
const MAX_BACK = 8;

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
  placeAll(layers, links, width);
  return { layers, links };
}

function itemOf(node: { id: string; type: string }, back: { to: string }[]): Item {
  const targets = [...new Set(back.map((edge) => edge.to))].slice(0, MAX_BACK);
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

/** Down, to put steps below those that lead to them; up, to put parents above them; down, to settle. */
function placeAll(layers: Item[][], links: readonly Link[][], width: number): void {
  const items = layers.flat();
  for (const item of items) item.x = Math.floor((width - item.width) / 2);
  const down = () => {
    for (const [i, layer] of layers.entries())
      placeLayer(layer, (item) => middle(links[i - 1], item, 'to', 'from'), width);
  };
  down();
  for (const [i, layer] of [...layers.entries()].reverse()) {
    placeLayer(layer, (item) => middle(links[i], item, 'from', 'to'), width);
  }
  down();
  const left = items.reduce((least, item) => Math.min(least, item.x), width);
  for (const item of items) item.x -= left;
}

/**
 * In the order of the wanted centres. Items are pushed apart once to the right and once to the left. The mean of the
 * two keeps the distances of both and spreads items that want the same position evenly around it.
 */
function placeLayer(layer: Item[], wantedOf: (item: Item) => number, width: number): void {
  const centres = new Map(layer.map((item) => [item, wantedOf(item)]));
  layer.sort((a, b) => centres.get(a)! - centres.get(b)!);
  const wanted = layer.map((item) => Math.round(centres.get(item)! - Math.floor(item.width / 2)));
  const toRight = pushLeft(layer, pushRight(layer, wanted), width);
  const toLeft = pushRight(layer, pushLeft(layer, wanted, width));
  for (const [i, item] of layer.entries()) item.x = Math.floor((toRight[i]! + toLeft[i]!) / 2);
}

function pushRight(layer: readonly Item[], wanted: readonly number[]): number[] {
  let free = 0;
  return layer.map((item, i) => {
    const x = Math.max(free, wanted[i]!);
    free = x + item.width + GAP;
    return x;
  });
}

function pushLeft(layer: readonly Item[], wanted: readonly number[], width: number): number[] {
  const placed = [...wanted];
  let limit = width;
  for (let i = layer.length - 1; i >= 0; i--) {
    placed[i] = Math.min(limit - layer[i]!.width, wanted[i]!);
    limit = placed[i]! - GAP;
  }
  return placed;
}

/** The middle of an item's neighbours, or its own if it has none. */
function middle(
  links: readonly Link[] | undefined,
  item: Item,
  own: 'from' | 'to',
  other: 'from' | 'to',
): number {
  const near = (links ?? []).filter((link) => link[own] === item).map((link) => centre(link[other]));
  return near.length === 0 ? centre(item) : near.reduce((sum, x) => sum + x, 0) / near.length;
}
