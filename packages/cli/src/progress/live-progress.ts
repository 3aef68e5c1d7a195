/** Progress on a terminal: what runs is redrawn in place, at most ten times a second; what ended scrolls up. */
import type { Event, State } from '@woof/net';
import type { LogLine } from '@woof/worker';
import { harmless, painter, shortenPainted } from '../terminal.ts';
import { type WholeLine, WholeLines } from '../whole-lines.ts';
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
  /** Lines on the screen that the next frame replaces. */
  private drawn = 0;
  private readonly cached = new Set<string>();
  readonly showsLogs = true;
  private readonly written = new WholeLines();
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
      for (const line of this.written.rest(step)) this.addWritten(line);
      this.add(stepLine(step, state, Date.now(), this.paint, this.cached));
    }
  }

  onLog(piece: LogLine): void {
    for (const line of this.written.take(piece)) this.addWritten(line);
  }

  say(line: string): void {
    this.ended.push(line);
    this.draw();
  }

  end(): void {
    clearInterval(this.timer);
    for (const line of this.written.rest()) this.addWritten(line);
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

  private draw(): void {
    // A terminal that does not know its size says 0.
    const columns = this.stream.columns || 80;
    const rows = this.stream.rows || 24;
    const live = this.liveLines(rows - 2);
    if (live.length === 0 && this.ended.length === 0 && this.drawn === 0) return;
    if (this.unshown > 0) this.ended.push(`  … and ${this.unshown} more lines`);
    const back = this.drawn > 0 ? `\u001b[${this.drawn}A\r` : '\r';
    const lines = [...this.ended, ...live].map((line) => `${shortenPainted(line, columns - 1)}\n`);
    this.stream.write(`${back}\u001b[J${lines.join('')}`);
    this.drawn = live.length;
    this.ended = [];
    this.unshown = 0;
  }

  private liveLines(room: number): string[] {
    const { state } = this;
    if (state === undefined || this.isOver) return [];
    const now = Date.now();
    const paused = state.status === 'paused' ? [this.paint('⏸ paused', 'yellow')] : [];
    const lines = runningSteps(state).map((step) => stepLine(step, state, now, this.paint));
    const shown = lines.slice(0, Math.max(1, room));
    const more = lines.length > shown.length ? [`  … and ${lines.length - shown.length} more steps`] : [];
    return [...shown, ...more, ...paused];
  }
}

function runningSteps({ steps }: State): string[] {
  return [...steps].flatMap(([name, { status, started_at: start }]) =>
    status === 'running' && start !== undefined ? [name] : [],
  );
}
