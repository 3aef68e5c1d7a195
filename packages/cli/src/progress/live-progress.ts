/**
 * Progress on a terminal: running steps are redrawn in place, at most ten times per second; finished steps scroll up.
 *
 * Invariants: a frame is one write and erases nothing before it has been overwritten, so that nothing flickers; no line
 * is as wide as the screen, and the redrawn part is lower than the screen, so that the cursor finds the first line
 * again.
 */
import type { Event, State } from '@woof/net';
import type { LogEntry } from '@woof/stores';
import { harmless, painter } from '../terminal.ts';
import { fitted, widthOf } from '../text-width.ts';
import { type WholeLine, WholeLines } from '../whole-lines.ts';
import { HeldLines } from './held-lines.ts';
import type { Progress } from './progress.ts';
import { cachedStep, endedStep, stepLine } from './step-line.ts';

const FRAME_MS = 100;
const MAX_ENDED_A_FRAME = 50;

/** The part of a terminal that is used. */
export interface Screen {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string): unknown;
}

export class LiveProgress implements Progress {
  private readonly paint;
  private isOver = false;
  private ended: string[] = [];
  private unshown = 0;
  /** Widths of the lines on the screen that the next frame replaces: a screen that became narrower wraps them. */
  private drawn: number[] = [];
  /** Steps that ended more than once: each has one line, which scrolls up when the run is over. */
  private readonly repeated = new Set<string>();
  private readonly cached = new Set<string>();
  readonly showsLogs = true;
  private readonly written = new WholeLines();
  private readonly held = new HeldLines(MAX_ENDED_A_FRAME);
  private state: State | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly stream: Screen) {
    this.paint = painter(stream);
    this.timer = setInterval(() => this.draw(), FRAME_MS).unref();
  }

  onEvents(events: readonly Event[], state: State): void {
    this.state = state;
    for (const event of events) {
      const cached = cachedStep(event);
      if (cached !== undefined) this.cached.add(cached);
      const step = endedStep(event);
      if (step === undefined) continue;
      for (const line of [...this.held.take(step), ...this.written.rest(step)]) this.addWritten(line);
      if (isRepeated(step, state)) this.repeated.add(step);
      else this.add(stepLine(step, state, Date.now(), this.paint, this.cached));
    }
  }

  onLog(piece: LogEntry): void {
    for (const line of this.written.take(piece)) if (!this.held.add(line)) this.unshown += 1;
  }

  say(line: string): void {
    this.takeHeld();
    this.ended.push(line);
    this.draw();
  }

  end(): void {
    clearInterval(this.timer);
    for (const line of [...this.held.take(), ...this.written.rest()]) this.addWritten(line);
    const { state } = this;
    for (const step of state ? this.repeated : [])
      this.add(stepLine(step, state!, Date.now(), this.paint, this.cached));
    this.repeated.clear();
    this.isOver = true;
    this.draw();
  }

  private addWritten({ step, text }: WholeLine): void {
    this.add(`${this.paint(`  ${harmless(step)} |`, 'dim')} ${harmless(text, 'lines')}`);
  }

  private add(line: string): void {
    if (this.ended.length < MAX_ENDED_A_FRAME) this.ended.push(line);
    else this.unshown += 1;
  }

  private takeHeld(): void {
    for (const line of this.held.take()) this.addWritten(line);
  }

  private draw(): void {
    this.takeHeld();
    // A terminal that does not know its size reports 0.
    const columns = this.stream.columns || 80;
    const rows = this.stream.rows || 24;
    const live = this.liveLines(columns, Math.max(1, rows - 1)).map((line) => fitted(line, columns - 1));
    if (live.length === 0 && this.ended.length === 0 && this.drawn.length === 0) return;
    if (this.unshown > 0) this.ended.push(`  … and ${this.unshown} more lines`);
    const ended = this.ended.map((line) => fitted(line, columns - 1));
    const lines = [...ended, ...live].map(overwriting);
    this.stream.write(`${this.back(columns)}${lines.join('')}${ERASE_BELOW}`);
    this.drawn = live.map(widthOf);
    this.ended = [];
    this.unshown = 0;
  }

  /** Moves to the first line that is replaced. */
  private back(columns: number): string {
    const up = this.drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return up > 0 ? `\u001b[${up}A\r` : '\r';
  }

  /** At most `room` lines. */
  private liveLines(columns: number, room: number): string[] {
    const { state } = this;
    if (state === undefined || this.isOver) return [];
    const now = Date.now();
    const paused = state.status === 'paused' ? [this.paint('⏸ paused', 'yellow')] : [];
    const lines = this.liveSteps(state).map(
      (step) => () => stepLine(step, state, now, this.paint, this.cached, columns),
    );
    const left = Math.max(1, room - paused.length);
    const shown = lines.length <= left ? lines : lines.slice(0, left - 1);
    const more = lines.length > shown.length ? [`  … and ${lines.length - shown.length} more steps`] : [];
    return [...shown.map((line) => line()), ...more, ...paused];
  }

  private liveSteps(state: State): string[] {
    return [...new Set([...runningSteps(state), ...this.repeated])];
  }
}

const ERASE_REST_OF_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

/** A tab does not erase what it passes over. */
function overwriting(line: string): string {
  return line.includes('\t') ? `${ERASE_REST_OF_LINE}${line}\n` : `${line}${ERASE_REST_OF_LINE}\n`;
}

/** A failure is always reported when it occurs. */
function isRepeated(step: string, { steps }: State): boolean {
  const { runs = 0, status } = steps.get(step) ?? {};
  return runs > 1 && status !== 'failed';
}

function runningSteps({ steps }: State): string[] {
  return [...steps].flatMap(([name, { status, started_at: start }]) =>
    status === 'running' && start !== undefined ? [name] : [],
  );
}
