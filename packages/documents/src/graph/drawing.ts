/**
 * Places the steps of a graph of any size for a picture: in layers, each step below all that lead to it.
 *
 * Everything is numbers in typed arrays, so that a worker can transfer it without a copy. Ten thousand steps take well
 * under a second: layers are filled in one pass, a sweep sorts each layer once, and positions follow in linear time.
 */
import type { Plan } from '@woof/net';
import { type Graph, graphOf } from './graph.ts';
import { neighboursOf, type Sides } from './neighbours.ts';
import { type Drawing, NODE } from './picture.ts';

/** The space that an edge takes in a layer that it passes. */
const THIN = 12;
const SWEEPS = 6;

export const drawPlan = (plan: Plan): Drawing => drawingOf(graphOf(plan));

export function drawingOf(graph: Graph) {
  const ends = endsOf(graph);
  const layer = layersOf(graph, ends);
  const items = itemsOf(layer, ends);
  const sides = neighboursOf(items.count, items.links);
  const rows = rowsOf(items.layer);
  for (let sweep = 0; sweep < SWEEPS; sweep++) orderRows(rows, sides, sweep % 2 === 0);
  const middle = placeRows(rows, sides, layer.length);
  return toDrawing(middle, layer, ends, items.first);
}

interface Ends {
  from: Int32Array;
  to: Int32Array;
  back: Uint8Array;
}

function endsOf({ nodes, edges, order }: Graph): Ends {
  const index = new Map(nodes.map(({ id }, i) => [id, i]));
  const place = new Map(order.map((id, i) => [id, i]));
  const known = edges.filter(({ from, to }) => index.has(from) && index.has(to));
  return {
    from: Int32Array.from(known, ({ from }) => index.get(from)!),
    to: Int32Array.from(known, ({ to }) => index.get(to)!),
    back: Uint8Array.from(known, ({ from, to }) => (place.get(to)! <= place.get(from)! ? 1 : 0)),
  };
}

/** A layer holds this many steps and the rest go below: nobody can read a thousand branches in one row. */
const mostAbreast = (count: number): number => Math.max(12, Math.ceil(1.6 * Math.sqrt(count)));

function layersOf({ nodes, order }: Graph, { from, to, back }: Ends): Int32Array {
  const index = new Map(nodes.map(({ id }, i) => [id, i]));
  const { down } = neighboursOf(nodes.length, { from, to, skip: back });
  const layer = new Int32Array(nodes.length);
  const filled: number[] = [];
  const most = mostAbreast(nodes.length);
  let free = 0;
  for (const id of order) {
    const node = index.get(id)!;
    let own = Math.max(layer[node]!, layer[node] === 0 ? free : 0);
    while ((filled[own] ?? 0) >= most) own += 1;
    filled[own] = (filled[own] ?? 0) + 1;
    while ((filled[free] ?? 0) >= most) free += 1;
    layer[node] = own;
    for (const below of down(node)) layer[below] = Math.max(layer[below]!, own + 1);
  }
  return layer;
}

interface Items {
  count: number;
  layer: Int32Array;
  links: { from: Int32Array; to: Int32Array };
  /** The first thin item of each edge; -1: it has none. */
  first: Int32Array;
}

/** Nodes come first, then thin items for edges that span several layers, unless there are too many. */
function itemsOf(layer: Int32Array, { from, to, back }: Ends): Items {
  const spans = from.map((node, i) => (back[i] ? 0 : layer[to[i]!]! - layer[node]! - 1));
  const thin = spans.reduce((sum, span) => sum + span, 0);
  const isDirect = thin > 2000 + 2 * layer.length;
  const count = layer.length + (isDirect ? 0 : thin);
  const layers = new Int32Array(count);
  layers.set(layer);
  const first = new Int32Array(from.length).fill(-1);
  const links = { from: [] as number[], to: [] as number[] };
  let next = layer.length;
  for (let edge = 0; edge < from.length; edge++) {
    if (back[edge]) continue;
    let last = from[edge]!;
    const passed = isDirect ? 0 : spans[edge]!;
    if (passed > 0) first[edge] = next;
    for (let i = 0; i < passed; i++) {
      layers[next] = layers[last]! + 1;
      links.from.push(last);
      links.to.push(next);
      last = next++;
    }
    links.from.push(last);
    links.to.push(to[edge]!);
  }
  return {
    count,
    layer: layers,
    links: { from: Int32Array.from(links.from), to: Int32Array.from(links.to) },
    first,
  };
}

function rowsOf(layer: Int32Array): Int32Array[] {
  const rows: number[][] = [];
  for (let item = 0; item < layer.length; item++) {
    const own = layer[item]!;
    while (rows.length <= own) rows.push([]);
    rows[own]!.push(item);
  }
  return rows.map((row) => Int32Array.from(row));
}

/** One sweep: sorts each row by the mean of its neighbours in the rows that are already ordered. */
function orderRows(rows: Int32Array[], { up, down }: Sides, isDown: boolean): void {
  const count = rows.reduce((sum, row) => sum + row.length, 0);
  const place = new Float64Array(count);
  for (const row of rows) centre(row, place);
  const wanted = new Float64Array(count);
  for (const row of isDown ? rows : [...rows].reverse()) {
    for (const item of row) wanted[item] = meanOf((isDown ? up : down)(item), place, place[item]!);
    row.sort((a, b) => wanted[a]! - wanted[b]! || place[a]! - place[b]!);
    centre(row, place);
  }
}

function centre(row: Int32Array, place: Float64Array): void {
  for (let i = 0; i < row.length; i++) place[row[i]!] = i - row.length / 2;
}

function meanOf(items: Int32Array, place: Float64Array, own: number): number {
  let sum = 0;
  for (const item of items) sum += place[item]!;
  return items.length === 0 ? own : sum / items.length;
}

/** Down, to put steps below those that lead to them; up, to put parents above them; down, to settle. */
function placeRows(rows: readonly Int32Array[], { up, down }: Sides, nodes: number): Float64Array {
  const count = rows.reduce((sum, row) => sum + row.length, 0);
  const middle = new Float64Array(count);
  const widthOf = (item: number) => (item < nodes ? NODE.width : THIN);
  for (const row of rows) placeRow(row, middle, widthOf, () => 0);
  for (const isDown of [true, false, true]) {
    for (const row of isDown ? rows : [...rows].reverse())
      placeRow(row, middle, widthOf, (item) => meanOf((isDown ? up : down)(item), middle, middle[item]!));
  }
  const left = middle.reduce((least, x, item) => Math.min(least, x - widthOf(item) / 2), Infinity);
  return middle.map((x) => x - left);
}

/**
 * Items are pushed apart once to the right and once to the left. The mean of the two keeps the distances of both and
 * spreads items that want the same position evenly around it.
 */
function placeRow(
  row: Int32Array,
  middle: Float64Array,
  widthOf: (item: number) => number,
  wantedOf: (item: number) => number,
): void {
  const wanted = Float64Array.from(row, wantedOf);
  const apart = (i: number) => (widthOf(row[i - 1]!) + widthOf(row[i]!)) / 2 + NODE.gapX;
  const right = wanted.slice();
  for (let i = 1; i < row.length; i++) right[i] = Math.max(right[i]!, right[i - 1]! + apart(i));
  const left = wanted.slice();
  for (let i = row.length - 1; i > 0; i--) left[i - 1] = Math.min(left[i - 1]!, left[i]! - apart(i));
  for (let i = 0; i < row.length; i++) middle[row[i]!] = (right[i]! + left[i]!) / 2;
}

function toDrawing(middle: Float64Array, layer: Int32Array, ends: Ends, first: Int32Array) {
  const pitch = NODE.height + NODE.gapY;
  const topOf = (row: number) => row * pitch;
  const points: number[] = [];
  const starts = new Int32Array(ends.from.length + 1);
  for (let edge = 0; edge < ends.from.length; edge++) {
    const [from, to] = [ends.from[edge]!, ends.to[edge]!];
    points.push(middle[from]!, topOf(layer[from]!) + NODE.height);
    if (first[edge]! >= 0)
      for (let row = layer[from]! + 1, item = first[edge]!; row < layer[to]!; row++, item++)
        points.push(middle[item]!, topOf(row), middle[item]!, topOf(row) + NODE.height);
    points.push(middle[to]!, topOf(layer[to]!));
    starts[edge + 1] = points.length;
  }
  const x = Float32Array.from(layer, (_, node) => middle[node]! - NODE.width / 2);
  return {
    width: middle.reduce(
      (most, at, item) => Math.max(most, at + (item < layer.length ? NODE.width : THIN) / 2),
      0,
    ),
    height: topOf(layer.reduce((most, row) => Math.max(most, row), 0)) + NODE.height,
    x,
    y: Float32Array.from(layer, topOf),
    layer,
    points: Float32Array.from(points),
    starts,
    ...ends,
  };
}
