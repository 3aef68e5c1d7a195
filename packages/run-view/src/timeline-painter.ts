/** Draws the rows of a timeline that are in sight. */
import { lookOf } from './look.ts';
import type { Span } from './run-source.ts';
import { type Piece, piecesOf } from './span-pieces.ts';
import type { TimeScale } from './time-scale.ts';
import { lengthOf, wordOf } from './words.ts';

export interface BarRow {
  step: string;
  spans: Span[];
}

interface Picture {
  rows: readonly BarRow[];
  scale: TimeScale;
  /** Where bars that have no end stop. */
  end: number;
  /** The shown moment. */
  at: number;
  top: number;
  rowHeight: number;
}

/** In pixels. */
const SHORTEST = 3;

const COLOURS = {
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'soft',
  cancelled: 'bad',
  reused: 'soft',
};

export function paintTimeline(canvas: HTMLCanvasElement, picture: Picture): void {
  const { rows, scale, end, at, top, rowHeight } = picture;
  const { colour, mono } = lookOf(canvas);
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const xOf = (time: number) => scale.toPlace(time) * width;
  const bar = (from: number, to: number, y: number, high: number) => {
    const place = barPlace(xOf(from), xOf(to), width);
    context.fillRect(place.left, y, place.width, high);
  };
  context.fillStyle = colour('raised');
  for (const { from, to } of scale.breaks) context.fillRect(from * width, 0, (to - from) * width, height);
  // Under the bars: a short bar at the shown moment stays in sight.
  context.fillStyle = colour('accent');
  context.fillRect(Math.min(width - 2, xOf(at)), 0, 2, height);
  context.font = `11px ${mono}`;
  context.textBaseline = 'middle';
  const waiting = hatching(context, colour('wait'), ratio);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight));
  for (let row = Math.floor(top / rowHeight); row < last; row++) {
    const y = row * rowHeight - top;
    for (const span of rows[row]!.spans) {
      if (span.status === 'reused') {
        context.fillStyle = colour('soft');
        context.fillText('↺ reused', xOf(span.start) + 4, y + rowHeight / 2);
        continue;
      }
      context.fillStyle = colour(COLOURS[span.status]);
      context.globalAlpha = 0.25;
      bar(span.start, span.end ?? end, y + 6, rowHeight - 12);
      context.globalAlpha = 1;
      for (const piece of piecesOf(span, end)) {
        context.fillStyle = piece.isWait ? waiting : colour(COLOURS[statusOf(piece, span)]);
        bar(piece.from, piece.to, y + 10, rowHeight - 20);
      }
    }
  }
  context.fillStyle = colour('soft');
  for (const { from, to } of scale.breaks) context.fillRect(((from + to) / 2) * width - 0.5, 0, 1, height);
}

/** A task that had not ended when its step ended has the status of the step. */
function statusOf({ task }: Piece, { status }: Span): Span['status'] {
  if (task?.failed) return 'failed';
  return task?.end === undefined ? status : 'succeeded';
}

/** The side of the square that repeats, in pixels of the page. */
const HATCH = 6;

function hatching(context: CanvasRenderingContext2D, colour: string, ratio: number): CanvasPattern {
  const tile = document.createElement('canvas');
  tile.width = tile.height = HATCH * ratio;
  const draw = tile.getContext('2d')!;
  draw.scale(ratio, ratio);
  draw.strokeStyle = colour;
  draw.lineWidth = 1.5;
  for (const shift of [-HATCH, 0, HATCH]) {
    draw.moveTo(shift, HATCH);
    draw.lineTo(shift + HATCH, 0);
  }
  draw.stroke();
  const pattern = context.createPattern(tile, 'repeat')!;
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

/** A bar is never too short to see, and stays inside the picture. */
export function barPlace(from: number, to: number, width: number): { left: number; width: number } {
  const left = Math.min(from, width - SHORTEST);
  return { left, width: Math.max(SHORTEST, to - left) };
}

/** Describes what a row shows at a given time. */
export function barAt({ spans }: BarRow, time: number, end: number): string {
  const span = spans.find((each) => each.start <= time && (each.end ?? end) >= time);
  if (span === undefined) return '';
  const took = (each: { start: number; end?: number }) => lengthOf((each.end ?? end) - each.start);
  const run = `${span.id}: ${wordOf(span.status)}, ${took(span)}`;
  const piece = piecesOf(span, end).find(({ from, to }) => from <= time && to >= time);
  const lines = [run];
  if (piece?.task) {
    const { task } = piece;
    const what = task.count ? `${task.count} tasks` : `${task.label}, attempt ${task.attempt}`;
    lines.push(`${what}: ${task.failed ? 'failed' : 'ok'}, ${took(task)}`);
  }
  if (piece?.isWait) lines.push(`waiting, ${lengthOf(piece.to - piece.from)}`);
  return lines.join('\n');
}
