/** The lines of a picture as a few paths, each with the area that it lies in. */
import { type Drawing, NODE } from '@woof/documents/graph';
import type { Area } from './node-grid.ts';

const TILE = 3000;

export interface EdgePath extends Area {
  path: Path2D;
  isBack: boolean;
}

/** One path per part of the picture: a few long paths are drawn faster than many short ones. */
export function edgePaths(drawing: Drawing): EdgePath[] {
  const tiles = new Map<string, EdgePath>();
  for (let edge = 0; edge < drawing.from.length; edge++) {
    const area = areaOf(drawing, edge);
    const isBack = drawing.back[edge] === 1;
    const tile = [isBack, (area.left + area.right) / 2 / TILE, (area.top + area.bottom) / 2 / TILE].map(
      Number,
    );
    const key = tile.map(Math.floor).join();
    const found = tiles.get(key) ?? { ...area, path: new Path2D(), isBack };
    tiles.set(key, found);
    found.left = Math.min(found.left, area.left);
    found.top = Math.min(found.top, area.top);
    found.right = Math.max(found.right, area.right);
    found.bottom = Math.max(found.bottom, area.bottom);
    traceEdge(found.path, drawing, edge);
  }
  return [...tiles.values()];
}

export function traceEdge(path: Path2D, { points, starts, back, to, y }: Drawing, edge: number): void {
  let at = starts[edge]!;
  const end = starts[edge + 1]!;
  path.moveTo(points[at]!, points[at + 1]!);
  if (back[edge]) {
    const [x1, y1, x2] = [points[at]!, points[at + 1]!, points[at + 2]!];
    const side = Math.max(x1, x2) + NODE.width;
    const target = y[to[edge]!]! + NODE.height / 2;
    path.bezierCurveTo(side, y1 + NODE.gapY, side, target, x2 + NODE.width / 2, target);
    return;
  }
  for (; at + 3 < end; at += 4) {
    const [x1, y1, x2, y2] = [points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!];
    const bend = (y1 + y2) / 2;
    if (at > starts[edge]!) path.lineTo(x1, y1);
    path.bezierCurveTo(x1, bend, x2, bend, x2, y2);
  }
}

function areaOf({ points, starts, back }: Drawing, edge: number): Area {
  const area = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let at = starts[edge]!; at < starts[edge + 1]!; at += 2) {
    area.left = Math.min(area.left, points[at]!);
    area.right = Math.max(area.right, points[at]! + (back[edge] ? NODE.width : 0));
    area.top = Math.min(area.top, points[at + 1]!);
    area.bottom = Math.max(area.bottom, points[at + 1]! + (back[edge] ? NODE.gapY : 0));
  }
  return area;
}

export const meets = (a: Area, b: Area): boolean =>
  a.left <= b.right && a.right >= b.left && a.top <= b.bottom && a.bottom >= b.top;
