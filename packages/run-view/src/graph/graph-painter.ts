/**
 * Draws a graph on a canvas. Lines and nodes are kept as two pictures somewhat larger than what is in sight, so that
 * moving draws two pictures, and a changed status draws only nodes.
 */
import { type Drawing, NODE } from '@woof/documents/graph';
import type { Look } from '../look.ts';
import { plainText } from '../plain-text.ts';
import type { StepMark } from '../run-source.ts';
import { countOf, signOf } from '../words.ts';
import { type EdgePath, edgePaths, meets, traceEdge } from './edge-paths.ts';
import { type Area, NodeGrid } from './node-grid.ts';
import type { Size, Viewport } from './viewport.ts';

export interface Labels {
  names: readonly string[];
  types: readonly string[];
}

/** What is kept beyond each side of the canvas, as a share of it. */
const BEYOND = 0.3;
/** Text below this zoom cannot be read. */
const READABLE = 0.45;
const ROUND = 6;
const LONGEST_NAME = 20;
/** The least width of a line on the screen. */
const HAIR = 0.3;

const COLOURS: Record<string, string> = {
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'bad',
  running: 'busy',
  needs_human: 'wait',
  pending: 'strong-line',
  skipped: 'strong-line',
};

/** For steps that have not run, and steps that ran in an earlier run. */
const DASHES = [4, 3];
const DOTS = [1, 3];

type Draw = (context: CanvasRenderingContext2D, area: Area, zoom: number) => void;

export class GraphPainter {
  readonly grid: NodeGrid;
  readonly #drawing: Drawing;
  readonly #labels: Labels;
  readonly #edges: EdgePath[];
  readonly #lines = new KeptPicture();
  readonly #nodes = new KeptPicture();
  marks: readonly StepMark[] = [];

  constructor(drawing: Drawing, labels: Labels) {
    this.#drawing = drawing;
    this.#labels = labels;
    this.#edges = edgePaths(drawing);
    this.grid = new NodeGrid(drawing);
  }

  /** `isMoving`: a picture at another zoom will do for now. */
  paint(
    canvas: HTMLCanvasElement,
    view: Viewport,
    chosen: { selected: number; focused: number },
    look: Look,
    isMoving: boolean,
  ): void {
    const ratio = devicePixelRatio || 1;
    const screen = { width: canvas.width / ratio, height: canvas.height / ratio };
    const context = canvas.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    this.#lines.show(context, view, screen, ratio, isMoving, (to, area, zoom) =>
      this.#drawLines(to, area, zoom, look),
    );
    this.#trace(context, view, ratio, chosen.selected, look);
    this.#nodes.show(context, view, screen, ratio, isMoving, (to, area, zoom) =>
      this.#drawNodes(to, area, zoom, look),
    );
    toPicture(context, view, ratio);
    this.#ring(context, chosen.selected, look.colour('accent'), 3 / view.zoom);
    if (chosen.focused !== chosen.selected)
      this.#ring(context, chosen.focused, look.colour('ink'), 1.5 / view.zoom);
  }

  statusChanged(): void {
    this.#nodes.forget();
  }

  forget(): void {
    this.#lines.forget();
    this.#nodes.forget();
  }

  #drawLines(context: CanvasRenderingContext2D, area: Area, zoom: number, look: Look): void {
    context.strokeStyle = look.colour('strong-line');
    context.lineWidth = Math.max(1, HAIR / zoom);
    for (const edge of this.#edges) {
      if (!meets(edge, area)) continue;
      context.setLineDash(edge.isBack ? [4, 4] : []);
      context.stroke(edge.path);
    }
  }

  /** The lines of the chosen step. */
  #trace(context: CanvasRenderingContext2D, view: Viewport, ratio: number, node: number, look: Look): void {
    const { from, to } = this.#drawing;
    const path = new Path2D();
    for (let i = 0; i < from.length; i++)
      if (from[i] === node || to[i] === node) traceEdge(path, this.#drawing, i);
    toPicture(context, view, ratio);
    context.setLineDash([]);
    context.strokeStyle = look.colour('accent');
    context.lineWidth = 1.5 / Math.min(1, view.zoom);
    context.stroke(path);
  }

  #drawNodes(context: CanvasRenderingContext2D, area: Area, zoom: number, look: Look): void {
    const nodes = [...this.grid.within(area)];
    const alike = new Map<string, number[]>();
    for (const node of nodes) {
      const { status = 'pending', reused_from } = this.marks[node] ?? {};
      const key = `${status} ${reused_from === undefined ? '' : 'reused'}`;
      const same = alike.get(key);
      if (same) same.push(node);
      else alike.set(key, [node]);
    }
    for (const same of alike.values()) this.#drawBoxes(context, same, zoom, look);
    if (zoom >= READABLE) for (const node of nodes) this.#drawText(context, node, look);
  }

  #drawBoxes(context: CanvasRenderingContext2D, nodes: readonly number[], zoom: number, look: Look): void {
    const { x, y } = this.#drawing;
    const { status = 'pending', reused_from } = this.marks[nodes[0]!] ?? {};
    const path = new Path2D();
    const isSmall = zoom < READABLE;
    for (const node of nodes) {
      if (isSmall) path.rect(x[node]!, y[node]!, NODE.width, NODE.height);
      else path.roundRect(x[node]!, y[node]!, NODE.width, NODE.height, ROUND);
    }
    const colour = look.colour(COLOURS[status] ?? 'strong-line');
    const isIdle = status === 'pending' || status === 'skipped';
    const isFilled = isSmall && !isIdle && reused_from === undefined;
    context.fillStyle = isFilled ? colour : look.colour(isSmall ? 'raised' : 'panel');
    context.fill(path);
    context.strokeStyle = colour;
    context.lineWidth = isSmall ? 1 : 1.25;
    const isReused = reused_from !== undefined;
    context.setLineDash(isSmall ? [] : isReused ? DOTS : isIdle ? DASHES : []);
    if (!isFilled) context.stroke(path);
  }

  #drawText(context: CanvasRenderingContext2D, node: number, look: Look): void {
    const [x, y] = [this.#drawing.x[node]!, this.#drawing.y[node]!];
    const mark = this.marks[node];
    const status = mark?.status ?? 'pending';
    const name = plainText(this.#labels.names[node]!);
    const room = NODE.width - 36;
    context.textBaseline = 'alphabetic';
    context.fillStyle = look.colour(COLOURS[status] === 'strong-line' ? 'soft' : COLOURS[status]!);
    context.font = `600 13px ${look.mono}`;
    context.fillText(signOf(status), x + 10, y + 17);
    context.fillStyle = look.colour('ink');
    context.font = `600 12px ${look.mono}`;
    context.fillText(cut(name, LONGEST_NAME), x + 28, y + 17, room);
    context.fillStyle = look.colour('soft');
    context.font = `11px ${look.mono}`;
    context.fillText(
      cut(plainText(`${this.#labels.types[node]} ${mark ? countOf(mark) : ''}`), LONGEST_NAME + 2),
      x + 28,
      y + 32,
      room,
    );
  }

  #ring(context: CanvasRenderingContext2D, node: number, colour: string, width: number): void {
    if (node < 0) return;
    const { x, y } = this.#drawing;
    const path = new Path2D();
    path.roundRect(x[node]! - 3, y[node]! - 3, NODE.width + 6, NODE.height + 6, ROUND + 3);
    context.setLineDash([]);
    context.strokeStyle = colour;
    context.lineWidth = Math.min(width, 12);
    context.stroke(path);
  }
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

function toPicture(context: CanvasRenderingContext2D, { x, y, zoom }: Viewport, ratio: number): void {
  context.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
}

/** A part of the picture that was drawn before. */
class KeptPicture {
  readonly #canvas = document.createElement('canvas');
  #area: Area | undefined;
  #zoom = 1;

  forget(): void {
    this.#area = undefined;
  }

  show(
    context: CanvasRenderingContext2D,
    view: Viewport,
    screen: Size,
    ratio: number,
    isMoving: boolean,
    draw: Draw,
  ): void {
    const seen = areaOf(view, screen, 0);
    const isSharp = this.#zoom === view.zoom && this.#area !== undefined && holds(this.#area, seen);
    if (this.#area === undefined || !(isSharp || isMoving)) this.#draw(view, screen, ratio, draw);
    const { left, top } = this.#area!;
    const scale = view.zoom / this.#zoom;
    const at = (place: number, offset: number) => Math.round((place * view.zoom + offset) * ratio);
    // On whole pixels, or text would blur.
    context.setTransform(1, 0, 0, 1, 0, 0);
    const { width, height } = this.#canvas;
    context.drawImage(this.#canvas, at(left, view.x), at(top, view.y), width * scale, height * scale);
  }

  #draw(view: Viewport, screen: Size, ratio: number, draw: Draw): void {
    const area = areaOf(view, screen, BEYOND);
    const scale = view.zoom * ratio;
    this.#canvas.width = Math.ceil((area.right - area.left) * scale);
    this.#canvas.height = Math.ceil((area.bottom - area.top) * scale);
    const context = this.#canvas.getContext('2d')!;
    context.setTransform(scale, 0, 0, scale, -area.left * scale, -area.top * scale);
    draw(context, area, view.zoom);
    this.#area = area;
    this.#zoom = view.zoom;
  }
}

function areaOf({ x, y, zoom }: Viewport, { width, height }: Size, beyond: number): Area {
  return {
    left: (-x - width * beyond) / zoom,
    top: (-y - height * beyond) / zoom,
    right: (-x + width * (1 + beyond)) / zoom,
    bottom: (-y + height * (1 + beyond)) / zoom,
  };
}

const holds = (outer: Area, inner: Area): boolean =>
  outer.left <= inner.left &&
  outer.top <= inner.top &&
  outer.right >= inner.right &&
  outer.bottom >= inner.bottom;
