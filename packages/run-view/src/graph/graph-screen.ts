/** A graph on the page: what is in sight, and what pointers, wheels and keys do to it. */
import { type Drawing, NODE } from '@woof/documents/graph';
import { fitCanvas } from '../fit-canvas.ts';
import { type Look, lookOf, onTheme } from '../look.ts';
import type { StepMark } from '../run-source.ts';
import { GraphPainter, type Labels } from './graph-painter.ts';
import { fitted, recentred, showing, type Viewport, zoomed } from './viewport.ts';

const STEP = 1.25;
/** Movements below this are a click. */
const STILL = 4;
const SHARP_AFTER_MS = 120;

export interface Actions {
  select(node: number): void;
  /** The keyboard moved here. */
  focus(node: number): void;
}

export class GraphScreen {
  readonly #canvas: HTMLCanvasElement;
  readonly #drawing: Drawing;
  readonly #painter: GraphPainter;
  readonly #act: Actions;
  readonly #ends: (() => void)[];
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #look: Look;
  #size = { width: 0, height: 0 };
  #view: Viewport | undefined;
  /** Nobody has moved it since the whole graph was shown. */
  #isWhole = true;
  #moved = 0;
  #selected = -1;
  #focused = -1;
  #frame = 0;
  #sharp: ReturnType<typeof setTimeout> | undefined;

  constructor(canvas: HTMLCanvasElement, drawing: Drawing, labels: Labels, act: Actions) {
    this.#canvas = canvas;
    this.#drawing = drawing;
    this.#painter = new GraphPainter(drawing, labels);
    this.#act = act;
    this.#look = lookOf(canvas);
    this.#ends = [
      fitCanvas(canvas, (width, height) => this.#resize(width, height)),
      onTheme(() => this.#themeChanged()),
    ];
  }

  close(): void {
    for (const end of this.#ends) end();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#sharp);
  }

  show(marks: readonly StepMark[]): void {
    const before = this.#painter.marks;
    const isSame = marks.length === before.length && marks.every((mark, i) => isAlike(mark, before[i]!));
    if (isSame) return;
    this.#painter.marks = marks;
    this.#painter.statusChanged();
    this.#paintSoon();
  }

  select(node: number): void {
    if (node === this.#selected) return;
    this.#selected = node;
    this.#focused = node;
    this.#reveal(node);
  }

  fit(): void {
    this.#moveTo(fitted(this.#drawing, this.#size));
    this.#isWhole = true;
  }

  zoom(factor: number): void {
    this.#zoomAt(factor, { x: this.#size.width / 2, y: this.#size.height / 2 });
  }

  moveBy(x: number, y: number): void {
    if (this.#view) this.#moveTo({ ...this.#view, x: this.#view.x + x, y: this.#view.y + y });
  }

  onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#zoomAt(Math.exp(-event.deltaY / 200), this.#placeOf(event));
  }

  onPointer(event: PointerEvent): void {
    const at = this.#placeOf(event);
    if (event.type === 'pointerdown') this.#press(event, at);
    else if (event.type === 'pointermove') this.#drag(event, at);
    else this.#release(event, at);
  }

  onKey(event: KeyboardEvent): void {
    const { key } = event;
    const from = this.#focused < 0 ? 0 : this.#focused;
    if (key.startsWith('Arrow')) this.#focus(this.#painter.grid.next(from, key, this.#drawing) ?? from);
    else if (key === 'Enter' || key === ' ') this.#act.select(from);
    else if (key === '+' || key === '=') this.zoom(STEP);
    else if (key === '-') this.zoom(1 / STEP);
    else if (key === '0') this.fit();
    else return;
    event.preventDefault();
  }

  #focus(node: number): void {
    this.#focused = node;
    this.#reveal(node);
    this.#act.focus(node);
  }

  #press(event: PointerEvent, at: { x: number; y: number }): void {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, at);
    this.#moved = 0;
  }

  /** One pointer moves the picture; two pull it apart or together. */
  #drag(event: PointerEvent, at: { x: number; y: number }): void {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    this.#pointers.set(event.pointerId, at);
    const [x, y] = [at.x - before.x, at.y - before.y];
    this.#moved += Math.hypot(x, y);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) this.moveBy(x, y);
    else this.#zoomAt(apart(at, other) / Math.max(1, apart(before, other)), other);
  }

  #release(event: PointerEvent, at: { x: number; y: number }): void {
    const isClick =
      this.#pointers.delete(event.pointerId) && this.#moved < STILL && event.type === 'pointerup';
    const view = this.#view;
    if (!isClick || view === undefined) return;
    const node = this.#painter.grid.at((at.x - view.x) / view.zoom, (at.y - view.y) / view.zoom);
    if (node !== undefined) this.#act.select(node);
  }

  #placeOf({ clientX, clientY }: MouseEvent): { x: number; y: number } {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #zoomAt(factor: number, at: { x: number; y: number }): void {
    if (this.#view === undefined) return;
    clearTimeout(this.#sharp);
    this.#sharp = setTimeout(() => {
      this.#sharp = undefined;
      this.#paintSoon();
    }, SHARP_AFTER_MS);
    this.#moveTo(zoomed(this.#view, factor, at));
  }

  #reveal(node: number): void {
    const { x, y } = this.#drawing;
    const part = { x: x[node]!, y: y[node]!, width: NODE.width, height: NODE.height };
    if (node >= 0 && this.#view) this.#view = showing(this.#view, part, this.#size);
    this.#paintSoon();
  }

  #moveTo(view: Viewport): void {
    this.#view = view;
    this.#isWhole = false;
    this.#paintSoon();
  }

  #resize(width: number, height: number): void {
    const before = this.#size;
    this.#size = { width, height };
    if (width === 0 || height === 0) return;
    this.#painter.forget();
    this.#view =
      this.#view === undefined || this.#isWhole
        ? fitted(this.#drawing, this.#size)
        : recentred(this.#view, before, this.#size);
    this.#reveal(this.#selected);
    this.#paint();
  }

  #themeChanged(): void {
    this.#look = lookOf(this.#canvas);
    this.#painter.forget();
    this.#paintSoon();
  }

  #paintSoon(): void {
    this.#frame ||= requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    this.#frame = 0;
    if (this.#view === undefined || this.#size.width === 0) return;
    const chosen = { selected: this.#selected, focused: this.#focused };
    this.#painter.paint(this.#canvas, this.#view, chosen, this.#look, this.#sharp !== undefined);
  }
}

const apart = (a: { x: number; y: number }, b: { x: number; y: number }): number =>
  Math.hypot(a.x - b.x, a.y - b.y);

const isAlike = (a: StepMark, b: StepMark): boolean =>
  a.status === b.status && a.runs === b.runs && a.progress?.done === b.progress?.done;
