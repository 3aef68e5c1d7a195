/** A graph in box characters, layer by layer; a plain list if it does not fit. */
import { harmless, paint, shorten } from '../render/terminal-text.ts';
import { Canvas } from './canvas.ts';
import type { Graph } from './graph.ts';
import { groupBy } from './group-by.ts';
import { centre, type Item, type Layout, type Link, layOut } from './layout.ts';

export interface TerminalOptions {
  width: number;
  color: boolean;
}

export function drawTerminal(graph: Graph, options: TerminalOptions): string {
  const layout = layOut(graph, options.width);
  if (!layout) return drawList(graph, options);
  const guards = graph.edges.filter((edge) => edge.label !== undefined);
  const legend = guards.map(({ from, to, label }) => arrowLine(from, to, label, options));
  const drawing = drawLayers(layout, options.color);
  return `${[drawing, ...(legend.length > 0 ? ['', ...legend] : [])].join('\n')}\n`;
}

function drawLayers(layout: Layout, color: boolean): string {
  const canvas = new Canvas();
  let y = 0;
  layout.layers.forEach((layer, i) => {
    const height = Math.max(...layer.map((item) => item.lines.length)) + 2;
    for (const item of layer) drawItem(canvas, item, y, height);
    y = drawBand(canvas, layout.links[i]!, y, height);
  });
  return canvas.print(color);
}

function drawItem(canvas: Canvas, item: Item, y: number, height: number): void {
  if (!item.node) {
    canvas.vertical(item.x, y, y + height - 1);
    return;
  }
  canvas.box(item.x, y, item.width, item.lines.length + 2);
  for (const [i, line] of item.lines.entries())
    canvas.text(item.x + 2, y + 1 + i, line, i === 0 ? 'bold' : 'dim');
}

/**
 * The rows between two layers: one for each step whose arcs do not lead straight down. Returns the next layer's top.
 */
function drawBand(canvas: Canvas, links: readonly Link[], top: number, height: number): number {
  const bySource = [...groupBy(links, (link) => link.from)].sort(([a], [b]) => a.x - b.x);
  const bent = orderTracks(
    bySource.filter(([from, of]) => of.some((link) => centre(link.to) !== centre(from))),
  );
  const bandTop = top + height;
  const nextTop = bandTop + Math.max(1, bent.length) + 1;
  for (const [from, of] of bySource) {
    const track =
      bandTop +
      Math.max(
        0,
        bent.findIndex(([each]) => each === from),
      );
    const start = from.node ? top + from.lines.length + 1 : top + height - 1;
    canvas.vertical(centre(from), start, track);
    for (const { to } of of)
      drawLink(canvas, centre(from), centre(to), track, nextTop, to.node !== undefined);
  }
  return links.length === 0 ? top + height : nextTop;
}

type Fan = readonly [from: Item, links: readonly Link[]];

/**
 * A step directly above another step's target must turn off before that other arc arrives; otherwise the drawing would
 * show an arc between the two.
 */
function orderTracks(fans: readonly Fan[]): Fan[] {
  const left = [...fans];
  const ordered: Fan[] = [];
  while (left.length > 0) {
    const free = left.findIndex((fan) => left.every((other) => other === fan || !mustPrecede(other, fan)));
    ordered.push(...left.splice(Math.max(0, free), 1));
  }
  return ordered;
}

function mustPrecede([from, own]: Fan, [, links]: Fan): boolean {
  const isMine = (to: Item) => own.some((link) => link.to === to);
  return links.some(({ to }) => centre(to) === centre(from) && !isMine(to));
}

function drawLink(
  canvas: Canvas,
  from: number,
  to: number,
  track: number,
  bottom: number,
  arrow: boolean,
): void {
  canvas.horizontal(track, from, to);
  canvas.vertical(to, track, arrow ? bottom - 1 : bottom);
  if (arrow) canvas.text(to, bottom - 1, '▼', 'dim');
}

function drawList(graph: Graph, options: TerminalOptions): string {
  const types = new Map(graph.nodes.map((node) => [node.id, node.type]));
  const out = groupBy(graph.edges, (edge) => edge.from);
  const lines = graph.order.flatMap((id) => [
    `${paint(shorten(harmless(id), options.width), 'bold', options.color)} (${harmless(types.get(id) ?? '')})`,
    ...(out.get(id) ?? []).map((edge) => `  ${arrowLine(undefined, edge.to, edge.label, options)}`),
  ]);
  return `${lines.join('\n')}\n`;
}

function arrowLine(
  from: string | undefined,
  to: string,
  label: string | undefined,
  options: TerminalOptions,
): string {
  const ends = harmless(from === undefined ? `→ ${to}` : `${from} → ${to}`);
  const guard = label === undefined ? '' : harmless(`  when ${label}`);
  const shown = shorten(`${ends}${guard}`, Math.max(20, options.width - 2));
  return shown.slice(0, ends.length) + paint(shown.slice(ends.length), 'dim', options.color);
}
